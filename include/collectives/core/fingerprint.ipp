// SPDX-License-Identifier: BSD-3-Clause
// The definitions of core/fingerprint.hpp.
#pragma once

#include <collectives/core/fingerprint.hpp>
#include <collectives/core/text.hpp>

namespace collectives::inline v0 {

[[gnu::cold]] COLLECTIVES_INLINE std::string fingerprint::title() const {
    return text_of(name(what), " #", sequence);
}

[[gnu::cold]] COLLECTIVES_INLINE std::string fingerprint::difference(fingerprint const& other,
                                                                     int mine, int theirs) const {
    using detail::text_part;
    auto const say = [&](std::string_view field, text_part a, text_part b) {
        return detail::joined(
            {field, " differs: rank ", mine, " has ", a, ", rank ", theirs, " has ", b});
    };
    if (what != other.what) { return say("collective", name(what), name(other.what)); }
    if (type != other.type) { return say("type", type_name.view(), other.type_name.view()); }
    if (count != other.count) { return say("count", count, other.count); }
    if (counts != other.counts) {
        return say(
            what == collective::all_reduce ? "list of tensors" : "list of counts or displacements",
            "one", "another");
    }
    if (op != other.op) {
        auto const same = op_name == other.op_name ? " in another state" : "";
        return text_of(say("operator", op_name.view(), other.op_name.view()), same);
    }
    if (root != other.root) { return say("root", root, other.root); }
    if (algorithm != other.algorithm) {
        return say("algorithm", algorithm_name.view(), other.algorithm_name.view());
    }
    if (segment != other.segment) { return say("segment", segment, other.segment); }
    if (reproducible != other.reproducible) {
        auto const word = [](bool is) { return is ? "true" : "false"; };
        return say("reproducible", word(reproducible), word(other.reproducible));
    }
    return {};
}

}  // namespace collectives
