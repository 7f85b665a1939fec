// SPDX-License-Identifier: BSD-3-Clause
// The user's override of `automatic`: COLLECTIVES_ALL_REDUCE="tree:0-4k,ring:4k-inf".
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/types.hpp>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace collectives::inline v0::detail {

/// Vectors of [from, to) bytes take this algorithm.
struct override_rule {
    any_algorithm algorithm;
    std::size_t from = 0;
    std::size_t to = std::numeric_limits<std::size_t>::max();
};

/// "0", "4k", "2M", "1G", "inf".
[[gnu::cold]] inline std::size_t parse_bytes(std::string_view text) {
    if (text == "inf") { return std::numeric_limits<std::size_t>::max(); }
    auto unit = text;
    auto const value = take_number(unit);
    auto const shift = unit.empty()                 ? 0
                       : unit == "k" || unit == "K" ? 10
                       : unit == "m" || unit == "M" ? 20
                       : unit == "g" || unit == "G" ? 30
                                                    : -1;
    if (!value || shift < 0) {
        throw_error<usage_error>("'", text, "' is no number of bytes: write 0, 4k, 2M, inf");
    }
    if (*value > (std::numeric_limits<std::size_t>::max() >> shift)) {
        throw_error<usage_error>("'", text, "' is more than can be counted");
    }
    return *value << shift;
}

/// Parses "name:from-to,...". A name without a range applies to all sizes. Throws usage_error.
[[gnu::cold]] inline lean_vector<override_rule> parse_override(std::string_view text) {
    lean_vector<override_rule> rules;
    while (!text.empty()) {
        auto const comma = text.find(',');
        auto const item = text.substr(0, comma);
        text = comma == text.npos ? std::string_view{} : text.substr(comma + 1);
        auto const dash = item.rfind('-');
        auto const colon = dash == item.npos ? item.npos : item.rfind(':', dash);
        override_rule rule{parse_algorithm(item.substr(0, colon))};
        if (colon != item.npos) {
            rule.from = parse_bytes(item.substr(colon + 1, dash - colon - 1));
            rule.to = parse_bytes(item.substr(dash + 1));
            if (rule.from >= rule.to) {
                throw_error<usage_error>("'", item, "': the range is empty");
            }
        }
        rules.push_back(rule);
    }
    return rules;
}

/// The rules of COLLECTIVES_<NAME OF THE COLLECTIVE>; none if it is not set.
[[gnu::cold]] inline lean_vector<override_rule> override_of(collective what) {
    auto variable = text_of("COLLECTIVES_", name(what));
    for (char& c : variable) {
        if (c >= 'a' && c <= 'z') { c = static_cast<char>(c - 'a' + 'A'); }
    }
    auto const* const text = std::getenv(variable.c_str());
    if (text == nullptr) { return {}; }
    try {
        return parse_override(text);
    } catch (usage_error const& e) { throw_error<usage_error>(variable, ": ", e.what()); }
}

}  // namespace collectives::detail
