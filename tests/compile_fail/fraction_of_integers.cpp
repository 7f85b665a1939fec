// SPDX-License-Identifier: BSD-3-Clause
// Integers times a fraction would lose the fraction without a word.
// expect: Op = collectives::(v0::)?premultiplied_sum<double>; T = int|reduction_op<collectives::(v0::)?premultiplied_sum<double>, int>. evaluated to false
#include <collectives/space/host.hpp>

namespace coll = collectives;

#ifdef MENDED
using factor = int;
#else
using factor = double;
#endif

coll::reducer make(coll::premultiplied_sum<factor> const& op) {
    return coll::host::make_reducer<int>(op);
}
