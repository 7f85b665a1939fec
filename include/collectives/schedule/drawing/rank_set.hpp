// SPDX-License-Identifier: BSD-3-Clause
// A set of ranks: whose contributions a value holds.
#pragma once

#include <collectives/core/text.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace collectives::inline v0::drawing {

/// A set of ranks 0 .. size - 1. Sets that meet in an operation come from one size.
class rank_set {
public:
    rank_set() = default;
    explicit rank_set(int size) : words_((static_cast<std::size_t>(size) + 63) / 64) {}

    static rank_set of(int size, int rank) {
        rank_set result(size);
        result.insert(rank);
        return result;
    }
    /// The first `ranks` of `size` ranks.
    static rank_set first(int size, int ranks) {
        rank_set result(size);
        for (int r = 0; r < ranks; ++r) { result.insert(r); }
        return result;
    }

    void insert(int rank) { words_[word(rank)] |= bit(rank); }
    bool contains(int rank) const { return (words_[word(rank)] & bit(rank)) != 0; }
    void unite(rank_set const& other) {
        for (std::size_t i = 0; i < words_.size(); ++i) { words_[i] |= other.words_[i]; }
    }
    int count() const {
        int result = 0;
        for (auto const w : words_) { result += std::popcount(w); }
        return result;
    }
    bool empty() const {
        return std::all_of(words_.begin(), words_.end(), [](auto w) { return w == 0; });
    }
    /// One past the largest rank it could hold.
    int limit() const { return static_cast<int>(words_.size() * 64); }

    friend bool operator==(rank_set const&, rank_set const&) = default;

private:
    static std::size_t word(int rank) { return static_cast<std::size_t>(rank) / 64; }
    static std::uint64_t bit(int rank) { return std::uint64_t{1} << (rank % 64); }

    std::vector<std::uint64_t> words_;
};

/// `2`, `0..2`, `{0,2}`, `{0..3,7}`, or `.` for nobody.
inline std::string label(rank_set const& set) {
    std::string runs;
    int ranges = 0;
    for (int r = 0; r < set.limit(); ++r) {
        if (!set.contains(r)) { continue; }
        int last = r;
        while (last + 1 < set.limit() && set.contains(last + 1)) { ++last; }
        if (ranges++ > 0) { runs += ','; }
        if (last == r) {
            add_text(runs, r);
        } else if (last == r + 1 && (ranges > 1 || set.count() > 2)) {
            add_text(runs, r, ",", last);
            ++ranges;
        } else {
            add_text(runs, r, "..", last);
        }
        r = last;
    }
    if (ranges == 0) { return "."; }
    return ranges == 1 ? runs : "{" + runs + "}";
}

}  // namespace collectives
