// SPDX-License-Identifier: BSD-3-Clause
// Calls in all variants: one cell of a table of collectives, algorithms and counts.
#pragma once

#include <collectives/core/fingerprint.hpp>

#include <conformance/linear.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace conformance {

inline std::vector<coll::any_algorithm> algorithms_and_automatic(int size = 1) {
    auto all = algorithms_for(size);
    all.emplace_back(coll::automatic{});
    return all;
}

inline constexpr std::array moving_collectives{
    coll::collective::all_reduce, coll::collective::reduce_scatter, coll::collective::all_gather,
    coll::collective::broadcast,  coll::collective::reduce,         coll::collective::gather,
    coll::collective::scatter,    coll::collective::all_to_all,     coll::collective::scan,
    coll::collective::exscan};

/// Segments that cut a vector of so many bytes into a few or very many pieces, or not at all.
inline std::size_t segment_for(std::size_t bytes, std::uint64_t pick) {
    if (pick % 3 == 0) { return coll::chosen_segment; }
    if (bytes <= 2'000) { return pick % 3 == 1 ? 64 : 4; }
    if (bytes <= 100'000) { return pick % 3 == 1 ? 4096 : 32'771; }
    return pick % 3 == 1 ? 65'536 : 150'000;
}

/// Runs `cases` variants of one cell of the table, as far as they are taken; other ones for other
/// cells.
template <class Arena>
void run_cell(Arena& mine, coll::communicator& comm, setup s, int cases, std::size_t elem_size) {
    auto const key = scramble(s.count * 1000 + static_cast<std::uint64_t>(s.what) * 100 +
                              coll::hash_text(s.how.algorithm.name()));
    for (int i = 0; i < cases; ++i) {
        auto const pick = key + static_cast<std::uint64_t>(i) * 7;  // 7 and 36 share no factor
        if (!is_taken(comm.size(), pick)) { continue; }
        s.in_place = pick % 2 == 1;
        s.started = pick / 2 % 2 == 1;
        s.where = static_cast<memory>(pick / 4 % 3);
        s.how.segment = segment_for(s.count * elem_size, pick / 12);
        s.salt = pick;
        mine.run(comm, s);
    }
}

}  // namespace conformance
