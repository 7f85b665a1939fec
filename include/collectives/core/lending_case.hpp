// SPDX-License-Identifier: BSD-3-Clause
// What goes from private memory to a peer, as far as it matters for how it goes best.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace collectives::inline v0 {

/// A message or call of a kind and a size. The times of two different cases are not compared.
class lending_case {
public:
    enum class kind : unsigned {
        message,
        rooted,  // a call of two ranks
        unrooted,
        rooted_sums,
        unrooted_sums,
        rooted_of_many,  // of more ranks
        unrooted_of_many,
        rooted_sums_of_many,
        unrooted_sums_of_many
    };
    static constexpr unsigned kinds = 9, sizes = 12, count = kinds * sizes;

    /// `bytes`: of the message, or of the call's vector.
    constexpr lending_case(kind what, std::size_t bytes)
        : index_(static_cast<unsigned>(what) * sizes + size_of(bytes)), bytes_(bytes) {}

    constexpr unsigned index() const { return index_; }
    constexpr std::size_t bytes() const { return bytes_; }

private:
    /// Each power of two from 16 KiB to 16 MiB begins another size.
    static constexpr unsigned size_of(std::size_t bytes) {
        return std::min(static_cast<unsigned>(std::bit_width(bytes / (16 * 1024))), sizes - 1);
    }
    unsigned index_;
    std::size_t bytes_;
};

}  // namespace collectives
