// SPDX-License-Identifier: BSD-3-Clause
// Communicators made from communicators: who is in them, and that they do not disturb each other.
#include <conformance/cells.hpp>
#include <conformance/suites.hpp>

#include <collectives/communicator/core.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <limits>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

namespace conformance {

namespace {

/// Whose ranks (of the first communicator) are in a communicator, in order.
std::vector<int> members(coll::communicator& comm, int my_first_rank) {
    std::vector<int> all(static_cast<std::size_t>(comm.size()));
    comm.all_gather(std::span(&my_first_rank, 1), all);
    return all;
}

void run_some(coll::communicator& comm, std::uint64_t seed) {
    arena<std::uint32_t> mine(comm, 12'000);
    auto const all = algorithms_and_automatic();
    for (std::uint64_t i = 0; i < 12; ++i) {
        auto const p = static_cast<std::size_t>(comm.size());
        setup s;
        s.what = moving_collectives[(seed + i) % moving_collectives.size()];
        s.count = (i % 3 == 0 ? 1'400 : 3) * p;
        s.how.algorithm = all[(seed + 3 * i) % all.size()];
        s.root = static_cast<int>((seed + i) % p);
        run_cell(mine, comm, s, 2, 4);
    }
}

}  // namespace

void groups(world const& w) {
    for (int const size : sizes()) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            auto const me = comm.rank();
            auto row = comm.split(me % 3 - 1, -me);  // colors -1, 0, 1; ranks in falling order
            std::vector<int> expected;
            for (int r = size - 1; r >= 0; --r) {
                if (r % 3 == me % 3) { expected.push_back(r); }
            }
            expect(members(row, me) == expected, "split orders by key");
            expect(row.size() == static_cast<int>(expected.size()) &&
                       expected[static_cast<std::size_t>(row.rank())] == me,
                   "rank and size of a group");

            auto same = comm.split(5, 1);
            expected.resize(static_cast<std::size_t>(size));
            std::iota(expected.begin(), expected.end(), 0);
            expect(members(same, me) == expected, "equal keys are ordered by rank");
            auto alone = comm.split(me == 0 ? std::numeric_limits<int>::min() : me);
            expect(alone.size() == 1 && members(alone, me) == std::vector{me}, "a group of one");

            auto half = row.split(row.rank() % 2);  // a group of a group
            expect(half.size() == (row.size() + (row.rank() % 2 == 0 ? 1 : 0)) / 2,
                   "a group of a group");
            for (std::uint64_t i = 0; i < 3; ++i) {
                run_some(comm, i);
                run_some(row, i + static_cast<std::uint64_t>(me % 3));  // groups do other things
                run_some(half, i);
                run_some(alone, i);
                run_some(same, i);
            }
        });
    }
}

void groups_at_once(world const& w) {
    for (int const size : sizes({2, 5, 8})) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            auto const me = comm.rank();
            auto low = comm.split(me < size / 2, me);
            auto odd = comm.split(me % 2, me);
            auto const in_low = me < size / 2 ? size / 2 : size - size / 2;
            auto const in_odd = me % 2 == 0 ? (size + 1) / 2 : size / 2;
            for (int i = 0; i < 20; ++i) {
                auto const n = i % 4 == 3 ? std::size_t{12'000} : std::size_t{20};
                std::vector<int> a(n, 1), b(n, 1), c(n, 1);
                auto x = comm.start_all_reduce(a, coll::sum{}, {.algorithm = coll::ring{}});
                auto y = low.start_all_reduce(b, coll::sum{}, {.algorithm = coll::tree{}});
                auto z = odd.start_all_reduce(c);
                // Whoever waits for one moves all; each rank begins with another.
                switch ((me + i) % 3) {
                    case 0: coll::wait_all(x, y, z); break;
                    case 1: coll::wait_all(z, y, x); break;
                    default: coll::wait_all(y, x, z);
                }
                expect(a[n - 1] == size && b[n - 1] == in_low && c[n - 1] == in_odd,
                       "calls on overlapping groups");
            }
            {
                auto passing = comm.split(0);  // gone again, while calls on others are under way
                std::vector<int> v(2'000, 1);
                auto x = comm.start_all_reduce(v);
                passing.barrier();
                x.wait();
            }
            coll::counted counts;
            auto counted = odd.with(counts);
            std::vector<int> v(30, 1);
            counted.all_reduce(v, coll::sum{}, {.algorithm = coll::ring{}});
            auto const cost = coll::cost_of(coll::ring{}, in_odd, v.size() * sizeof(int));
            auto const slack = 4 * static_cast<std::size_t>(in_odd);  // blocks of whole elements
            auto const sent = counts.sent();
            expect(v[29] == in_odd && sent <= cost.busiest.sent + slack &&
                       sent + slack >= cost.busiest.sent,
                   "an adaptor over a group");
        });
    }
}

/// Two threads of each rank wait on two groups, in different orders on different ranks. A thread
/// that kept the rank's lock while it waits would stop the other before it has entered.
void threads_of_a_rank(world const& w) {
    using namespace std::chrono_literals;
    for (int const size : sizes({2, 3})) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            coll::options const soon{.timeout = 20s};
            auto first = comm.split(0), second = comm.split(0);
            core_of(comm)->engine().shared()->work->lock->share();
            auto const me = comm.rank();
            auto const call = [&](coll::communicator& group, bool is_late, int of) {
                for (int i = 0; i < 60; ++i) {
                    auto const n = i % 5 == 4 ? std::size_t{40'000} : std::size_t{5};
                    std::vector<int> v(n, of + i);
                    if (is_late && i % 20 == 0) { std::this_thread::sleep_for(5ms); }
                    group.all_reduce(v, coll::sum{}, soon);
                    expect(v[n - 1] == size * (of + i), "the sum on a thread of its own");
                    if (i % 10 == 0) { group.barrier(soon); }
                    auto started = group.start_all_reduce(v, coll::max{}, soon);
                    started.wait();
                }
            };
            auto beside = std::async(std::launch::async, [&] { call(second, me == 0, 1); });
            call(first, me != 0, 1000);
            beside.get();
        });
    }
}

}  // namespace conformance
