// SPDX-License-Identifier: BSD-3-Clause
// What a rank called, in a form that ranks can compare: equal on all ranks or it is a mismatch.
#pragma once

#include <collectives/core/text.hpp>
#include <collectives/core/type_name.hpp>
#include <collectives/core/types.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace collectives {

using detail::hash_text;

/// Stirs a word into a hash: every bit of both reaches every bit of the result.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    return detail::hash_mix(detail::hash_mix(hash, word), hash >> 7);
}

/// A short name that lives in the fingerprint itself, since pointers mean nothing to other ranks.
template <std::size_t N>
struct short_text {
    std::array<char, N> chars{};
    constexpr short_text() = default;
    constexpr short_text(std::string_view text) {  // NOLINT: a name is a name
        std::copy_n(text.begin(), std::min(text.size(), N - 1), chars.begin());
    }
    constexpr std::string_view view() const { return {chars.data()}; }
    friend constexpr bool operator==(short_text const&, short_text const&) = default;
};

/// Everything about a call that must be equal on all ranks. Trivially copyable, 168 bytes.
struct fingerprint {
    std::uint64_t sequence = 0;   // number of the operation on its communicator
    std::uint64_t past = 0;       // hash of all calls before it
    std::uint64_t count = 0;      // elements; 0 where a rank does not know the whole (gather)
    std::uint64_t counts = 0;     // hash of the counts, 0 for coll::block; of fused tensors
    std::uint64_t type = 0;       // type_id of the element
    std::uint64_t op = 0;         // op_fingerprint: the operator and its state
    std::uint64_t algorithm = 0;  // hash of the algorithm's name
    std::uint64_t segment = 0;    // bytes of a segment
    std::int32_t root = 0;
    collective what{};
    bool reproducible = false;
    std::uint16_t padding = 0;
    short_text<40> type_name;
    short_text<32> op_name;
    short_text<24> algorithm_name;

    friend constexpr bool operator==(fingerprint const&, fingerprint const&) = default;

    /// Equal for equal calls, whatever their number: part of every tag.
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
    std::string title() const { return text_of(name(what), " #", sequence); }

    /// What `other` has that this one has not, for the text of a mismatch_error; empty if equal,
    /// whatever was called before. `mine` and `theirs` are the ranks that called.
    std::string difference(fingerprint const& other, int mine, int theirs) const {
        auto const say = [&](std::string_view field, std::string const& a, std::string const& b) {
            return text_of(field, " differs: rank ", mine, " has ", a, ", rank ", theirs, " has ",
                           b);
        };
        auto const text = [](auto const& name) { return std::string(name.view()); };
        if (what != other.what) {
            return say("collective", std::string(name(what)), std::string(name(other.what)));
        }
        if (type != other.type) { return say("type", text(type_name), text(other.type_name)); }
        if (count != other.count) {
            return say("count", std::to_string(count), std::to_string(other.count));
        }
        if (counts != other.counts) {
            return say(what == collective::all_reduce ? "list of tensors" : "list of counts", "one",
                       "another");
        }
        if (op != other.op) {
            auto const same = op_name == other.op_name ? " in another state" : "";
            return say("operator", text(op_name), text(other.op_name) + same);
        }
        if (root != other.root) {
            return say("root", std::to_string(root), std::to_string(other.root));
        }
        if (algorithm != other.algorithm) {
            return say("algorithm", text(algorithm_name), text(other.algorithm_name));
        }
        if (segment != other.segment) {
            return say("segment", std::to_string(segment), std::to_string(other.segment));
        }
        if (reproducible != other.reproducible) {
            return say("reproducible", reproducible ? "true" : "false",
                       other.reproducible ? "true" : "false");
        }
        return {};
    }
};

static_assert(sizeof(fingerprint) == 168);

}  // namespace collectives
