// SPDX-License-Identifier: BSD-3-Clause
// Words that the pictures have in common.
#pragma once

#include <collectives/core/text.hpp>
#include <collectives/schedule/step.hpp>

#include <string>
#include <string_view>

namespace collectives::inline v0::drawing {

/// `1 chunk`, `4 ranks`.
inline std::string counted(int n, std::string_view noun) {
    return text_of(n, " ", noun, n == 1 ? "" : "s");
}

/// The parts of a collective's vector: chunks of the algorithm's choice, or blocks of the
/// ranks.
inline std::string_view part_of(collective what) { return has_blocks(what) ? "block" : "chunk"; }

/// `3`, `2..5`, `6..7,0..1`: a range of chunks, which may wrap around the end.
inline std::string label(chunk_range range, int chunks) {
    auto const run = [](int first, int last) {
        return first == last ? text_of(first) : text_of(first, "..", last);
    };
    if (range.count == 0) { return "none"; }
    int const end = range.first + range.count;
    if (end <= chunks) { return run(range.first, end - 1); }
    return text_of(run(range.first, chunks - 1), ",", run(0, end - chunks - 1));
}

/// `ring: all_reduce over 4 ranks` and, of a rooted collective, the root.
inline std::string title_of(std::string_view algorithm, collective what, int size, rank_t root) {
    auto const text = text_of(algorithm, ": ", name(what), " over ", counted(size, "rank"));
    return is_rooted(what) ? text_of(text, ", root ", root) : text;
}

}  // namespace collectives
