// SPDX-License-Identifier: BSD-3-Clause
// Hands out stretches of a scratch buffer while a plan is made, and remembers how much is needed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>

namespace collectives {

/// First fit over the stretches given back; 64-byte steps, so that elements stay aligned.
class scratch_space {
public:
    std::size_t take(std::size_t bytes) {
        auto const whole = rounded(bytes);
        for (auto i = free_.begin(); i != free_.end(); ++i) {
            auto const [first, size] = *i;
            if (size < whole) { continue; }
            free_.erase(i);
            if (size > whole) { free_.emplace(first + whole, size - whole); }
            return first;
        }
        auto first = end_;
        if (!free_.empty()) {
            auto const last = std::prev(free_.end());
            if (last->first + last->second == end_) {  // grow the free stretch at the end
                first = last->first;
                free_.erase(last);
            }
        }
        end_ = first + whole;
        most_ = std::max(most_, end_);
        return first;
    }
    void give_back(std::size_t first, std::size_t bytes) {
        auto const [i, added] = free_.emplace(first, rounded(bytes));
        auto const next = std::next(i);
        if (next != free_.end() && i->first + i->second == next->first) {
            i->second += next->second;
            free_.erase(next);
        }
        if (i != free_.begin()) {
            auto const before = std::prev(i);
            if (before->first + before->second == i->first) {
                before->second += i->second;
                free_.erase(i);
            }
        }
    }
    /// Bytes a buffer must have for all that was taken at the same time.
    std::size_t most() const { return most_; }

private:
    static std::size_t rounded(std::size_t bytes) {
        return bytes == 0 ? 64 : (bytes + 63) / 64 * 64;
    }

    std::map<std::size_t, std::size_t> free_;
    std::size_t end_ = 0;
    std::size_t most_ = 0;
};

}  // namespace collectives
