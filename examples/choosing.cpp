// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm the library takes and why, what each costs, and how to measure a machine.
#include <collectives/collectives.hpp>
#include <collectives/tune.hpp>

#include <cstddef>
#include <cstdio>
#include <stdexcept>

namespace coll = collectives;

int main() {
    // Without any rank: is the algorithm right, and what does it cost?
    static_assert(coll::check(coll::ring{}, 13).ok);
    for (auto const* const name : {"star", "tree", "butterfly", "ring"}) {
        auto const cost = coll::parse_algorithm(name).cost_of(8, std::size_t{1} << 20);
        std::printf("%-9s %2d rounds, the busiest rank sends %7zu bytes, the least is %zu\n", name,
                    static_cast<int>(cost.rounds), static_cast<std::size_t>(cost.busiest.sent),
                    static_cast<std::size_t>(cost.bound.sent));
    }

    coll::threads::run(4, [](coll::communicator& comm) {
        coll::tune(comm);  // measures what messages and copies cost here; takes some 50 ms
        for (std::size_t const bytes : {std::size_t{64}, std::size_t{1} << 22}) {
            auto const chosen = comm.explain(bytes);
            if (chosen.predictions.empty()) { throw std::runtime_error("nothing predicted"); }
            if (comm.rank() == 0) { std::printf("%s\n", chosen.why.c_str()); }
        }
    });
}
