// SPDX-License-Identifier: BSD-3-Clause
// The types that are measured, each made in a file of its own, since each takes long to compile.
#pragma once

#include "calls.hpp"

namespace coll_perf {

typed_calls int8_calls();
typed_calls uint8_calls();
typed_calls int16_calls();
typed_calls uint16_calls();
typed_calls float16_calls();
typed_calls bfloat16_calls();
typed_calls float8_e4m3_calls();
typed_calls float8_e5m2_calls();
typed_calls int32_calls();
typed_calls uint32_calls();
typed_calls float_calls();
typed_calls int64_calls();
typed_calls uint64_calls();
typed_calls double_calls();
typed_calls complex_float_calls();
typed_calls complex_double_calls();

}  // namespace coll_perf
