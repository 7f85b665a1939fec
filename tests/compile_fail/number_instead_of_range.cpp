// SPDX-License-Identifier: BSD-3-Clause
// Vectors are ranges, as the guide says; a single number is one behind std::span(&number, 1).
// expect: contiguous_range<(R|double &)>
#include <collectives/collectives.hpp>

#include <span>

namespace coll = collectives;

void largest(coll::communicator& comm, double number) {
#ifdef MENDED
    comm.all_reduce(std::span(&number, 1), coll::max{});
#else
    comm.all_reduce(number, coll::max{});
#endif
}
