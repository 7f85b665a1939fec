// SPDX-License-Identifier: BSD-3-Clause
// A vector spread over ranks in blocks of different sizes: where each begins, what its neighbours
// hold at the border, and all of it on every rank. A rod is heated at its left end, and each point
// takes the mean of its two neighbours, step by step.
#include <collectives/collectives.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

namespace coll = collectives;

namespace {

using points = std::vector<double>;

/// One step of the points inside of `rod`; its two ends stay.
void relax(points& rod) {
    auto const old = rod;
    for (std::size_t i = 1; i + 1 < rod.size(); ++i) { rod[i] = (old[i - 1] + old[i + 1]) / 2; }
}

}  // namespace

int main() {
    coll::shm::run(4, [](coll::communicator& comm) {
        std::size_t const me = static_cast<std::size_t>(comm.rank()), mine = 3 + me, steps = 500;

        // How many points each rank has, and where this rank's block begins: the sum of the ranks
        // before it. Rank 0 gets nothing from exscan, so its `begin` stays 0.
        std::vector<std::size_t> counts(4);
        comm.all_gather(std::span(&mine, 1), counts);
        std::size_t begin = 0;
        comm.exscan(std::span(&mine, 1), std::span(&begin, 1));

        points block(mine + 2);  // with a point of each neighbour
        if (me == 0) { block.front() = 1; }
        int const left = comm.rank() - 1, right = comm.rank() + 1;
        for (std::size_t step = 0; step < steps; ++step) {
            relax(block);
            // The points at the borders. send_recv does both at once, so nobody waits in a circle;
            // ranks at the ends of the rod have one neighbour.
            auto const at = [&block](std::size_t i) { return std::span(&block[i], 1); };
            if (me % 2 == 0 && right < 4) { comm.send_recv(at(mine), right, at(mine + 1), right); }
            if (left >= 0) { comm.send_recv(at(1), left, at(0), left); }
            if (me % 2 == 1 && right < 4) { comm.send_recv(at(mine), right, at(mine + 1), right); }
        }

        // The whole rod, in memory that the other processes reach.
        auto rod = comm.allocate<double>(std::accumulate(counts.begin(), counts.end(), 0UL));
        comm.all_gather(std::span(block).subspan(1, mine), rod, counts);

        points alone(rod.size() + 2);  // the same on one rank
        alone.front() = 1;
        for (std::size_t step = 0; step < steps; ++step) { relax(alone); }
        if (!std::equal(rod.begin(), rod.end(), alone.begin() + 1)) {
            throw std::runtime_error("the blocks do not make up the rod");
        }
        std::printf("rank %zu has points %zu to %zu of %zu; the last is at %.3f\n", me, begin,
                    begin + mine - 1, rod.size(), block[mine]);
    });
}
