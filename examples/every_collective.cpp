// SPDX-License-Identifier: BSD-3-Clause
// Each collective once, over four processes: what goes in, what comes out.
#include <collectives/collectives.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace coll = collectives;

namespace {

using vector = std::vector<int>;

std::string text(vector const& v) {
    std::string result;
    for (auto const x : v) { result += ' ' + std::to_string(x); }
    return result;
}

/// Says what a rank got; a wrong result ends the program with an error.
void show(int rank, char const* collective, vector const& got, vector const& wanted) {
    if (got != wanted) { throw std::runtime_error(std::string(collective) + " gave" + text(got)); }
    if (rank == 2) { std::printf("%-16s rank 2 gets%s\n", collective, text(got).c_str()); }
}

}  // namespace

int main() {
    coll::shm::run(4, [](coll::communicator& comm) {
        int const me = comm.rank();
        vector const mine{me, 10 * me, 100 * me, 1000 * me};
        vector const sums{6, 60, 600, 6000};  // of all four
        vector const own{me};
        auto const at_2 = [me](vector v) { return me == 2 ? v : vector{}; };

        vector all = mine;
        comm.all_reduce(all);
        show(me, "all_reduce", all, sums);

        vector block(1);
        comm.reduce_scatter(mine, block);
        show(me, "reduce_scatter", block, {sums[static_cast<std::size_t>(me)]});

        comm.all_gather(own, all);
        show(me, "all_gather", all, {0, 1, 2, 3});

        all = mine;
        comm.broadcast(all, 3);
        show(me, "broadcast", all, {3, 30, 300, 3000});

        vector at_root = at_2(vector(4));  // elsewhere it may be empty
        comm.reduce(mine, at_root, coll::max{}, 2);
        show(me, "reduce", at_root, at_2({3, 30, 300, 3000}));

        comm.gather(own, at_root, 2);
        show(me, "gather", at_root, at_2({0, 1, 2, 3}));

        comm.scatter(at_2({5, 6, 7, 8}), block, 2);
        show(me, "scatter", block, {5 + me});

        comm.all_to_all(mine, all);  // element j of rank i becomes element i of rank j
        int const power = std::vector<int>{1, 10, 100, 1000}[static_cast<std::size_t>(me)];
        show(me, "all_to_all", all, {0, power, 2 * power, 3 * power});

        all = mine;
        comm.scan(all);  // of ranks 0 .. me
        int const so_far = me * (me + 1) / 2;
        show(me, "scan", all, {so_far, 10 * so_far, 100 * so_far, 1000 * so_far});
        vector before{0};  // on rank 0 it stays as it is
        comm.exscan(own, before);
        show(me, "exscan", before, {so_far - me});
        comm.barrier();
    });
}
