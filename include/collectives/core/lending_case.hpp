// SPDX-License-Identifier: BSD-3-Clause
// What goes from private memory to a peer, as far as it matters for how it goes best.
#pragma once

#include <collectives/core/types.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0 {

/// How a rank got what a peer had in private memory: by a copy that the peer staged, or by the
/// kernel from where the peer lent it. `both`: some one way, some the other.
enum class reading : std::uint8_t { staged, fetched, both };

/// Messages of about one size, or calls of one collective over vectors of about one size, of two
/// ranks or of more. The choice between the two ways is made for each case.
class lending_case {
public:
    static constexpr lending_case of_message(std::size_t bytes) { return {0, bytes}; }
    /// `bytes`: of the call's vector.
    static constexpr lending_case of_call(collective what, int ranks, std::size_t bytes) {
        return {1 + 2 * static_cast<std::size_t>(what) + (ranks == 2 ? 0 : 1), bytes};
    }

    constexpr std::size_t index() const { return index_; }
    constexpr std::size_t bytes() const { return bytes_; }

    static constexpr std::size_t sizes = 8;
    static constexpr std::size_t count =
        (1 + 2 * (static_cast<std::size_t>(collective::barrier) + 1)) * sizes;

private:
    /// Each power of two from 32 KiB to 2 MiB begins another size.
    constexpr lending_case(std::size_t row, std::size_t bytes)
        : index_(
              row * sizes +
              std::min(static_cast<std::size_t>(std::bit_width(bytes / (32 * 1024))), sizes - 1)),
          bytes_(bytes) {}

    std::size_t index_, bytes_;
};

}  // namespace collectives
