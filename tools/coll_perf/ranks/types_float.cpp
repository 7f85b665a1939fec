// SPDX-License-Identifier: BSD-3-Clause
#include "typed.hpp"
#include "types.hpp"

namespace coll_perf {

typed_calls float_calls() { return calls_of<float>("float"); }
typed_calls double_calls() { return calls_of<double>("double"); }

}  // namespace coll_perf
