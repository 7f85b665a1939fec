// SPDX-License-Identifier: BSD-3-Clause
#include "typed.hpp"
#include "types.hpp"

namespace coll_perf {

typed_calls float16_calls() { return calls_of<coll::float16>("float16"); }
typed_calls bfloat16_calls() { return calls_of<coll::bfloat16>("bfloat16"); }

}  // namespace coll_perf
