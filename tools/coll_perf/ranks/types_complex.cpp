// SPDX-License-Identifier: BSD-3-Clause
#include "typed.hpp"
#include "types.hpp"

namespace coll_perf {

typed_calls complex_float_calls() { return calls_of<std::complex<float>>("complex_float"); }
typed_calls complex_double_calls() { return calls_of<std::complex<double>>("complex_double"); }

}  // namespace coll_perf
