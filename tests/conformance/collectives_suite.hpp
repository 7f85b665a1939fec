// SPDX-License-Identifier: BSD-3-Clause
// Every collective with every algorithm: sizes, counts, roots, segments, memory, in place or not,
// blocking or started.
#pragma once

#include <conformance/linear.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace conformance {

inline std::vector<coll::any_algorithm> algorithms_and_automatic(int size = 1) {
    auto all = algorithms_for(size);
    all.emplace_back(coll::automatic{});
    return all;
}

inline constexpr coll::collective moving_collectives[] = {
    coll::collective::all_reduce, coll::collective::reduce_scatter, coll::collective::all_gather,
    coll::collective::broadcast,  coll::collective::reduce,         coll::collective::gather,
    coll::collective::scatter,    coll::collective::all_to_all};

/// Vectors in one cell of a ring, in a slot, in several passes; fewer elements than ranks; none.
inline std::vector<std::size_t> counts_for(int size) {
    auto const p = static_cast<std::size_t>(size);
    return {0, 1, p - 1, 2 * p + 3, 331, 20'011, 150'001};
}

/// Segments that cut a vector of so many bytes into a few or very many pieces, or not at all.
inline std::size_t segment_for(std::size_t bytes, std::uint64_t pick) {
    if (pick % 3 == 0) { return coll::chosen_segment; }
    if (bytes <= 2'000) { return pick % 3 == 1 ? 64 : 4; }
    if (bytes <= 100'000) { return pick % 3 == 1 ? 4096 : 32'771; }
    return pick % 3 == 1 ? 65'536 : 150'000;
}

/// Runs `cases` variants of one cell of the table, other ones for other cells.
template <class Arena, class Comm>
void run_cell(Arena& mine, Comm& comm, setup s, int cases, std::size_t elem_size) {
    auto const key = scramble(s.count * 1000 + static_cast<std::uint64_t>(s.what) * 100 +
                              coll::hash_text(s.how.algorithm.name()));
    for (int i = 0; i < cases; ++i) {
        auto const pick = key + static_cast<std::uint64_t>(i) * 7;  // 7 and 36 share no factor
        s.in_place = pick % 2 == 1;
        s.started = pick / 2 % 2 == 1;
        s.where = static_cast<memory>(pick / 4 % 3);
        s.how.segment = segment_for(s.count * elem_size, pick / 12);
        s.salt = pick;
        mine.run(comm, s);
    }
}

TEST_CASE_TEMPLATE_DEFINE("every collective with every algorithm", World, every_collective) {
    for (int const size : sizes()) {
        CAPTURE(size);
        World::run(size, [size](auto& comm) {
            using T = std::uint32_t;
            arena<T, std::remove_reference_t<decltype(comm)>> mine(comm, 150'008);
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

TEST_CASE_TEMPLATE_DEFINE("every root", World, every_root) {
    for (int const size : sizes({2, 3, 5, 8})) {
        CAPTURE(size);
        World::run(size, [size](auto& comm) {
            arena<std::uint64_t, std::remove_reference_t<decltype(comm)>> mine(comm, 64);
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

/// Elements of odd sizes at odd addresses, and elements larger than what travels in one piece.
template <class T, class Comm>
void run_element(Comm& comm, std::vector<std::size_t> const& counts) {
    arena<T, Comm> mine(comm, counts.back() + 8);
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

TEST_CASE_TEMPLATE_DEFINE("elements of any size at any address", World, every_element) {
    for (int const size : sizes({1, 2, 3, 5, 8})) {
        CAPTURE(size);
        World::run(size, [](auto& comm) {
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
