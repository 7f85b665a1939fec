// SPDX-License-Identifier: BSD-3-Clause
// Finds how the tensors of ranks differ. It does no communication.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/fingerprint.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace collectives::inline v0::detail {

/// A tensor that is not done yet, for the other ranks. Plain bytes.
struct tensor_note {
    std::uint64_t index = 0;   // how many tensors this rank had added before it
    std::uint64_t bucket = 0;  // the index of the first tensor of its bucket
    std::uint64_t count = 0;
    std::uint64_t type = 0;
    short_text<40> name;
    short_text<24> type_name;
};

/// The state of a rank's buffer, for the other ranks. Plain bytes.
struct fusion_note {
    std::uint64_t added = 0;    // tensors in all
    std::uint64_t open = 0;     // of these, not done yet
    std::uint64_t started = 0;  // buckets
    std::uint64_t threshold = 0;
    std::uint64_t wire = 0;  // how it compresses
    short_text<32> op;
};

/// One rank's notes, by index.
struct tensor_report {
    fusion_note of;
    lean_vector<tensor_note> tensors;
};

inline std::string text_of_tensor(tensor_note const& t) {
    auto const name = t.name.view().empty() ? std::string("one without a name")
                                            : text_of("'", t.name.view(), "'");
    return text_of(name, " (", t.count, " x ", t.type_name.view(), ")");
}

/// How a tensor that ranks a and b both have under way differs; empty if it does not.
inline std::string tensor_difference(tensor_note const& x, tensor_note const& y, int a, int b) {
    auto const field = x.name != y.name     ? "name"
                       : x.type != y.type   ? "type"
                       : x.count != y.count ? "size"
                                            : "";
    if (*field != '\0') {
        return text_of("tensor ", x.index, " differs in its ", field, ": rank ", a, " has ",
                       text_of_tensor(x), ", rank ", b, " has ", text_of_tensor(y));
    }
    if (x.bucket == y.bucket) { return {}; }
    return text_of("tensor ", x.index, " ", text_of_tensor(x),
                   " travels with others: its bucket begins with tensor ", x.bucket, " on rank ", a,
                   ", with tensor ", y.bucket, " on rank ", b,
                   ", as if not all had flushed at the same place");
}

/// The sum of the ranks' numbers of notes. Throws transport_error for an impossible number.
inline std::size_t number_of_notes(lean_vector<std::size_t> const& counts) {
    constexpr std::size_t most = std::size_t{1} << 20;  // tensors of a rank
    std::size_t total = 0;
    for (std::size_t r = 0; r < counts.size(); ++r) {
        if (counts[r] > most) {
            throw_error<transport_error>("rank ", r, " says that it has ", counts[r],
                                         " tensors under way");
        }
        total += counts[r];
    }
    return total;
}

/// The first difference between the ranks' reports, as a text that names two ranks and both values.
/// The same on all ranks; empty if there is none. O(ranks x tensors).
inline std::string difference_of(lean_vector<tensor_report> const& all) {
    auto const& first = all.front();
    std::uint64_t most_started = 0;
    for (std::size_t r = 0; r < all.size(); ++r) {
        auto const& other = all[r];
        auto const say = [&](std::string_view what, auto const& a, auto const& b) {
            return text_of(what, " differs: rank 0 has ", a, ", rank ", r, " has ", b);
        };
        if (first.of.threshold != other.of.threshold) {
            return say("the threshold", first.of.threshold, other.of.threshold);
        }
        if (first.of.op != other.of.op) {
            return say("the operator", first.of.op.view(), other.of.op.view());
        }
        if (first.of.wire != other.of.wire) { return say("the compression", "one", "another"); }
        most_started = std::max(most_started, other.of.started);
    }
    std::string missing;  // a tensor that one rank has and another, which waits, has not
    lean_vector<std::size_t> at(all.size());  // the next note of each rank
    auto const next_of = [&](std::size_t r) {
        return at[r] < all[r].tensors.size() ? &all[r].tensors[at[r]] : nullptr;
    };
    while (true) {
        auto const none = static_cast<std::uint64_t>(-1);
        auto i = none;
        for (std::size_t r = 0; r < all.size(); ++r) {
            if (auto const* const its = next_of(r)) { i = std::min(i, its->index); }
        }
        if (i == none) { return missing; }
        tensor_note const* known = nullptr;  // as the first rank that has it says
        int knows = 0, lacks = -1;
        for (std::size_t r = 0; r < all.size(); ++r) {
            auto const rank = static_cast<int>(r);
            auto const* const its = next_of(r);
            if (its == nullptr || its->index != i) {
                auto const waits = all[r].of.started == most_started;  // else it is late
                if (lacks < 0 && waits && i >= all[r].of.added) { lacks = rank; }
                continue;
            }
            ++at[r];
            if (known == nullptr) {
                known = its;
                knows = rank;
            } else if (auto text = detail::tensor_difference(*known, *its, knows, rank);
                       !text.empty()) {
                return text;
            }
        }
        if (missing.empty() && known != nullptr && lacks >= 0) {
            missing =
                text_of("tensor ", i, ": rank ", knows, " has ", detail::text_of_tensor(*known),
                        ", rank ", lacks, " waits after only ",
                        all[static_cast<std::size_t>(lacks)].of.added, " tensors");
        }
    }
}

}  // namespace collectives::detail
