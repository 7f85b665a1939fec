// SPDX-License-Identifier: BSD-3-Clause
// What a rank called, in a form that ranks can compare. Different fingerprints are a mismatch.
#pragma once

#include <collectives/core/compiled.hpp>
#include <collectives/core/type_name.hpp>
#include <collectives/core/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace collectives::inline v0 {

using detail::hash_text;

/// Mixes a word into a hash: every bit of both affects every bit of the result. The hash is
/// scattered first, so that neighbours of both do not meet.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    return detail::hash_mix(detail::hash_mix(0, hash), word);
}

/// A short name, stored in the fingerprint itself because pointers mean nothing to other ranks.
template <std::size_t N>
struct short_text {
    std::array<char, N> chars{};
    constexpr short_text() = default;
    constexpr short_text(std::string_view text) {  // NOLINT: a name is a name
        text.copy(chars.data(), N - 1);
    }
    constexpr std::string_view view() const {
        std::string_view const all(chars.data(), N);  // a peer may have left out the end
        return all.substr(0, all.find('\0'));
    }
    friend constexpr bool operator==(short_text const& a, short_text const& b) {
        return std::string_view(a.chars.data(), N) == std::string_view(b.chars.data(), N);
    }
};

/// Everything about a call that must be equal on all ranks. Trivially copyable, 168 bytes.
struct fingerprint {
    std::uint64_t sequence = 0;   // number of the operation on its communicator
    std::uint64_t past = 0;       // hash of all calls before it
    std::uint64_t count = 0;      // elements; 0 where a rank does not know the whole (gather)
    std::uint64_t counts = 0;     // hash of counts or cut, 0 for coll::block; of fused tensors
    std::uint64_t type = 0;       // type_id of the element
    std::uint64_t op = 0;         // op_fingerprint: the operator and its state
    std::uint64_t algorithm = 0;  // hash of the algorithm's name
    std::uint64_t segment = 0;    // bytes of a segment
    std::int32_t root = 0;
    collective what{};
    std::uint8_t reproducible = 0;  // 0 or 1
    std::uint16_t padding = 0;
    short_text<40> type_name;
    short_text<32> op_name;
    short_text<24> algorithm_name;

    friend constexpr bool operator==(fingerprint const&, fingerprint const&) = default;

    /// Equal for equal calls, whatever their numbers. Part of every tag.
    constexpr std::uint64_t hash() const {
        auto h = mix(count, counts);
        h = mix(h, type);
        h = mix(h, op);
        h = mix(h, algorithm);
        h = mix(h, segment);
        return mix(h, (static_cast<std::uint64_t>(static_cast<std::uint32_t>(root)) << 16) |
                          (static_cast<std::uint64_t>(what) << 8) | (reproducible ? 1U : 0U));
    }

    /// "all_reduce #7"
    std::string title() const;

    /// How `other` differs from this one, for the text of a mismatch_error. Empty if they are
    /// equal, whatever was called before. `mine` and `theirs` are the ranks that called.
    std::string difference(fingerprint const& other, int mine, int theirs) const;
};

static_assert(sizeof(fingerprint) == 168);

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/core/fingerprint.ipp>
#endif
