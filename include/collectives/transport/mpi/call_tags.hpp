// SPDX-License-Identifier: BSD-3-Clause
// The tags of MPI by which the messages of collectives travel.
#pragma once

#include <collectives/transport/message.hpp>

#include <cstdint>

namespace collectives::inline v0::mpi {

/// Calls have the upper half of MPI's tags. Its last eighth is for calls after a loss.
class call_tags {
public:
    call_tags() = default;
    /// `half`: half the number of MPI's tags, a power of two.
    explicit constexpr call_tags(std::uint64_t half)
        : half_(static_cast<std::uint32_t>(half)), after_loss_(half_ / 8) {}

    /// As many of the library's tags that follow each other as there are here differ here, too:
    /// several segments of a call are under way at once. (Only where 32 bits begin anew may they
    /// meet sooner. A division of 64 bits takes as long as half a message.)
    constexpr int of(std::uint64_t tag) const {
        auto const number = static_cast<std::uint32_t>(tag);
        auto const generation = static_cast<std::uint32_t>(generation_of(tag));
        auto const ordinary = half_ - after_loss_;
        if (generation == 0) { return static_cast<int>(half_ + number % ordinary); }
        auto const each = after_loss_ / 8;  // of a generation
        return static_cast<int>(half_ + ordinary + generation * each + number % each);
    }

private:
    std::uint32_t half_ = 16384, after_loss_ = 2048;
};

}  // namespace collectives::mpi
