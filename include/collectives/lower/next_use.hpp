// SPDX-License-Identifier: BSD-3-Clause
// Finds when a schedule needs a chunk next, and for what.
#pragma once

#include <collectives/core/lean_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::lowering {

/// What a rank does next with a chunk: sends it (and perhaps receives it), or receives it.
enum class chunk_use : std::uint8_t { none, sent, received };

/// The rounds in which a rank sends or receives a chunk.
class next_uses {
public:
    /// Adds a use. Its round must not be earlier than the last.
    void add(int round, bool sends) {
        if (all_.empty() || all_.back().round != round) {
            all_.push_back({round, sends});
        } else {
            all_.back().sends = all_.back().sends || sends;
        }
    }
    /// Whether the next use after round `round` is a send in round `other`. `round` never decreases
    /// from call to call.
    bool sends_next(int round, int other) {
        return after(round) == chunk_use::sent && all_[next_].round == other;
    }
    /// The next use after round `round`.
    chunk_use after(int round) {
        while (next_ < all_.size() && all_[next_].round <= round) { ++next_; }
        return next_ == all_.size() ? chunk_use::none
               : all_[next_].sends  ? chunk_use::sent
                                    : chunk_use::received;
    }

private:
    struct use {
        int round;
        bool sends;
    };
    lean_vector<use> all_;
    std::size_t next_ = 0;
};

}  // namespace collectives::lowering
