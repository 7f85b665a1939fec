// SPDX-License-Identifier: BSD-3-Clause
// Hands out ranges of a scratch buffer while lowering makes a plan, and remembers how much is
// needed.
#pragma once

#include <collectives/core/free_list.hpp>

#include <cstddef>

namespace collectives::inline v0::lowering {

/// First fit over the ranges given back, in steps of 64 bytes, so that elements stay aligned.
class scratch_space {
public:
    /// If not `reused`, no byte is handed out twice.
    explicit scratch_space(bool reused) : reused_(reused) {}
    [[gnu::cold]] std::size_t take(std::size_t bytes) {
        auto const whole = rounded(bytes);
        if (auto const found = free_.take(whole)) { return *found; }
        auto const first = free_.take_before(end_).first;
        end_ = first + whole;
        if (end_ > most_) { most_ = end_; }
        return first;
    }
    void give_back(std::size_t first, std::size_t bytes) {
        if (reused_) { free_.give_back({first, rounded(bytes)}); }
    }
    /// The bytes that a buffer needs for everything that was taken at the same time.
    std::size_t most() const { return most_; }

private:
    static std::size_t rounded(std::size_t bytes) {
        return bytes == 0 ? 64 : (bytes + 63) / 64 * 64;
    }

    bool reused_;
    free_list free_;
    std::size_t end_ = 0;
    std::size_t most_ = 0;
};

}  // namespace collectives::lowering
