// SPDX-License-Identifier: BSD-3-Clause
// An algorithm of your own: a ring that uses both directions of every link. It says only who sends
// which chunk to whom; the library runs it, proves it, and counts what it costs.
#include <collectives/collectives.hpp>

#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace coll = collectives;

/// Half of the vector travels up the ring, half of it down: chunks 0 .. P-1 and P .. 2P-1.
struct both_ways {
    static constexpr std::string_view name = "both_ways";
    static constexpr int chunks(int size) { return 2 * size; }
    static constexpr coll::rank_t owner(int chunk, int size) { return chunk % size; }

    static constexpr void reduce_scatter(coll::rank_t me, int size, coll::step_sink auto&& emit) {
        pass(me, size, coll::verb::recv_reduce, 1, emit);
    }
    static constexpr void all_gather(coll::rank_t me, int size, coll::step_sink auto&& emit) {
        pass(me, size, coll::verb::recv_copy, 0, emit);
    }

private:
    static constexpr void pass(int me, int size, coll::verb receive, int lag, auto&& emit) {
        auto const wrap = [size](int i) { return (i + 2 * size) % size; };
        for (int r = 0; r < size - 1; ++r) {
            for (int way : {1, -1}) {
                int const half = way == 1 ? 0 : size;
                int const at = r + lag;  // how many places what I send now has come
                emit(coll::step{r, coll::verb::send, wrap(me + way), {half + wrap(me - way * at)}});
                emit(coll::step{r, receive, wrap(me - way), {half + wrap(me - way * (at + 1))}});
            }
        }
    }
};

// The proof: every contribution once in every chunk, no deadlock, no race. For any size that is
// asked about; a mistake in a step above stops the compiler here.
static_assert(coll::check(both_ways{}, 2).ok);
static_assert(coll::check(both_ways{}, 5).ok);
static_assert(coll::check(both_ways{}, 8).ok);
static_assert(!coll::check(both_ways{}, 8).order_preserving);  // so: commutative operators only

int main() {
    // The cost, from the steps: a link carries half as much in each direction as a ring's.
    constexpr std::size_t bytes = 8 * 100'000;
    auto const cost = coll::cost_of(both_ways{}, 8, bytes);
    std::printf("8 ranks, %zu bytes: %d rounds\n", bytes, cost.rounds);
    std::printf("the busiest rank sends %zu bytes, %.2f times the lower bound\n", cost.busiest.sent,
                cost.ratio.sent);
    if (cost.rounds != 14 || cost.busiest.sent != 2 * bytes * 7 / 8) { return 1; }

    coll::threads::run(8, [](coll::communicator& comm) {
        std::vector<double> data(100'000, comm.rank());
        comm.all_reduce(data, coll::sum{}, {.algorithm = both_ways{}});
        if (data != std::vector<double>(100'000, 28)) { throw std::runtime_error("a wrong sum"); }
        if (comm.rank() == 0) { std::printf("and on 8 threads: 0 + 1 + ... + 7 = %g\n", data[0]); }

        std::vector<double> all(8);  // what the type does not say is composed from what it says
        comm.all_gather(std::vector<double>{1.0 * comm.rank()}, all, {.algorithm = both_ways{}});
        if (all[7] != 7) { throw std::runtime_error("a wrong all_gather"); }
    });
}
