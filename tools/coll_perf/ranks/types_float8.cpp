// SPDX-License-Identifier: BSD-3-Clause
#include "typed.hpp"
#include "types.hpp"

namespace coll_perf {

typed_calls float8_e4m3_calls() { return calls_of<coll::float8_e4m3>("float8_e4m3"); }
typed_calls float8_e5m2_calls() { return calls_of<coll::float8_e5m2>("float8_e5m2"); }

}  // namespace coll_perf
