// SPDX-License-Identifier: BSD-3-Clause
// Every collective with every algorithm: sizes, counts, roots, segments, memory, in place or not,
// blocking or started.
#include <conformance/cells.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace conformance {

namespace {

/// Vectors in one cell of a ring, in a slot, in several passes; fewer elements than ranks; none.
std::vector<std::size_t> counts_for(int size) {
    auto const p = static_cast<std::size_t>(size);
    return {0, 1, p - 1, 2 * p + 3, 331, 20'011, 150'001};
}

/// Elements of odd sizes at odd addresses, and elements larger than what travels in one piece.
template <class T>
void run_element(coll::communicator& comm, std::vector<std::size_t> const& counts) {
    arena<T> mine(comm, counts.back() + 8);
    auto const all = algorithms_and_automatic(comm.size());
    std::size_t turn = sizeof(T);
    for (auto const what : moving_collectives) {
        for (auto count : counts) {
            auto const p = static_cast<std::size_t>(comm.size());
            if (what == coll::collective::all_to_all) { count = (count + p - 1) / p * p; }
            for (int i = 0; i < 2; ++i) {
                setup s;
                s.what = what;
                s.how.algorithm = all[turn++ % all.size()];
                s.count = count;
                s.root = static_cast<int>(count % p);
                run_cell(mine, comm, s, 2, sizeof(T));
            }
        }
    }
}

}  // namespace

void every_collective(world const& w) {
    for (int const size : sizes()) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            using T = std::uint32_t;
            arena<T> mine(comm, 150'008);
            for (auto const what : moving_collectives) {
                for (auto const algorithm : algorithms_and_automatic(size)) {
                    for (auto count : counts_for(size)) {
                        auto const p = static_cast<std::size_t>(size);
                        if (what == coll::collective::all_to_all) {
                            count = (count + p - 1) / p * p;
                        }
                        setup s;
                        s.what = what;
                        s.how.algorithm = algorithm;
                        s.count = count;
                        s.root = static_cast<int>(count % p);
                        run_cell(mine, comm, s, count < 1'000 ? 4 : 2, sizeof(T));
                    }
                }
            }
        });
    }
}

void every_root(world const& w) {
    for (int const size : sizes({2, 3, 5, 8})) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            arena<std::uint64_t> mine(comm, 64);
            for (auto const what : moving_collectives) {
                if (!coll::is_rooted(what)) { continue; }
                for (auto const algorithm : algorithms_and_automatic(size)) {
                    for (int root = 0; root < size; ++root) {
                        setup s;
                        s.what = what;
                        s.how.algorithm = algorithm;
                        s.count = static_cast<std::size_t>(3 * size + root);
                        s.root = root;
                        run_cell(mine, comm, s, 2, sizeof(std::uint64_t));
                    }
                }
            }
        });
    }
}

void every_element(world const& w) {
    for (int const size : sizes({1, 2, 3, 5, 8})) {
        CAPTURE(size);
        w.run(size, [](coll::communicator& comm) {
            run_element<std::uint8_t>(comm, {1, 7, 1'001, 70'003});
            run_element<std::uint16_t>(comm, {1, 7, 1'001, 40'003});
            run_element<word<3>>(comm, {1, 7, 333, 22'003});
            run_element<word<12>>(comm, {1, 7, 81, 5'503});
            run_element<word<5'000>>(comm, {1, 11});
            run_element<word<70'001>>(comm, {1, 9});   // does not fit in a slot
            run_element<word<270'001>>(comm, {1, 3});  // nor in a pass
        });
    }
}

}  // namespace conformance
