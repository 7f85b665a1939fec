// SPDX-License-Identifier: BSD-3-Clause
// The results of a scan are passed on as partial results, so no operator may finish them.
// expect: Op = collectives::(v0::)?average;|prefix_op<collectives::(v0::)?average, (double>|element_t<double)
#include <collectives/collectives.hpp>

namespace coll = collectives;

#ifdef MENDED
using reduced = coll::sum;
#else
using reduced = coll::average;
#endif

void scan(coll::communicator& comm, double (&v)[3]) { comm.scan(v, reduced{}); }
