// SPDX-License-Identifier: BSD-3-Clause
// The sum of bools is a logical or, so half of it says nothing.
// expect: Op = collectives::(v0::)?average; T = bool|reduction_op<collectives::(v0::)?average, (bool|_Bool)> *. evaluated to false
#include <collectives/space/host.hpp>

namespace coll = collectives;

#ifdef MENDED
using reduced = unsigned char;
#else
using reduced = bool;
#endif

coll::reducer make(coll::average const& op) { return coll::host::make_reducer<reduced>(op); }
