// SPDX-License-Identifier: BSD-3-Clause
// A program of the small single header: a proof, a cost and a picture, without communication. The
// large header comes second, as it may.
#include "collectives_schedule.hpp"
#ifdef BOTH
#include "collectives.hpp"
#endif

#include <cstdio>
#include <string>

namespace coll = collectives;

static_assert(coll::check(coll::ring{}, 13).ok);
static_assert(!coll::check(coll::ring{}, 13).order_preserving);

int main(int argc, char** argv) {
    if (argc > 1) {
        return std::fputs(coll::draw(coll::parse_algorithm(argv[1]), 4).c_str(), stdout) < 0;
    }
    std::printf("%d\n", static_cast<int>(coll::cost_of(coll::ring{}, 13, 1300).rounds));
#ifdef BOTH
    coll::threads::run(2, [](coll::communicator& comm) { comm.barrier(); });
#endif
}
