// SPDX-License-Identifier: BSD-3-Clause
// The definitions of core/fingerprint.hpp.
#pragma once

#include <collectives/core/fingerprint.hpp>
#include <collectives/core/text.hpp>

namespace collectives::inline v0 {

COLLECTIVES_INLINE std::string fingerprint::title() const {
    return text_of(name(what), " #", sequence);
}

[[gnu::cold]] COLLECTIVES_INLINE std::string fingerprint::difference(fingerprint const& other,
                                                                     int mine, int theirs) const {
    auto const say = [&](std::string_view field, std::string const& a, std::string const& b) {
        return text_of(field, " differs: rank ", mine, " has ", a, ", rank ", theirs, " has ", b);
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

}  // namespace collectives
