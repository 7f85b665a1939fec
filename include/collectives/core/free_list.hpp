// SPDX-License-Identifier: BSD-3-Clause
// The free ranges of a block of memory. First fit; free neighbours are joined.
#pragma once

#include <collectives/core/lean_vector.hpp>

#include <cstddef>
#include <optional>

namespace collectives::inline v0 {

/// Knows only offsets, no memory. Both functions are O(free ranges).
class free_list {
public:
    struct free_range {
        std::size_t first = 0, bytes = 0;
    };

    std::optional<std::size_t> take(std::size_t bytes) {
        for (std::size_t i = 0; i < free_.size(); ++i) {
            auto& s = free_[i];
            if (s.bytes < bytes) { continue; }
            auto const first = s.first;
            s = {first + bytes, s.bytes - bytes};
            if (s.bytes == 0) { erase(i); }
            return first;
        }
        return {};
    }
    [[gnu::cold]] void give_back(free_range s) {
        if (s.bytes == 0) { return; }
        std::size_t i = 0;
        while (i < free_.size() && free_[i].first < s.first) { ++i; }
        free_.insert(at(i), s);
        if (i + 1 < free_.size() && joins(i, i + 1)) { join(i); }
        if (i > 0 && joins(i - 1, i)) { join(i - 1); }
    }
    /// Takes the free range that ends at `end` out of the list; an empty one if there is none.
    free_range take_before(std::size_t end) {
        if (free_.empty() || free_.back().first + free_.back().bytes != end) { return {end, 0}; }
        auto const last = free_.back();
        free_.pop_back();
        return last;
    }

private:
    bool joins(std::size_t a, std::size_t b) const {
        return free_[a].first + free_[a].bytes == free_[b].first;
    }
    void join(std::size_t i) {
        free_[i].bytes += free_[i + 1].bytes;
        erase(i + 1);
    }
    void erase(std::size_t i) { free_.erase(at(i)); }
    lean_vector<free_range>::iterator at(std::size_t i) {
        return free_.begin() + static_cast<std::ptrdiff_t>(i);
    }

    lean_vector<free_range> free_;  // by offset
};

}  // namespace collectives
