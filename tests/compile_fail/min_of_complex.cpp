// SPDX-License-Identifier: BSD-3-Clause
// Complex numbers have no order, so there is no smallest one.
// expect: Op = collectives::(v0::)?min; T = std::complex<float>|reduction_op<collectives::(v0::)?min, std::complex<float>.*> *. evaluated to false
#include <collectives/space/host.hpp>

#include <complex>

namespace coll = collectives;

#ifdef MENDED
using smallest = coll::sum;
#else
using smallest = coll::min;
#endif

coll::reducer make(smallest const& op) { return coll::host::make_reducer<std::complex<float>>(op); }
