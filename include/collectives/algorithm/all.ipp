// SPDX-License-Identifier: BSD-3-Clause
// The definitions of algorithm/all.hpp.
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>

#include <charconv>
#include <string>

namespace collectives::inline v0 {

namespace detail {

#ifdef COLLECTIVES_COMPILING
template struct functions_of<star>;
template struct functions_of<tree>;
template struct functions_of<butterfly>;
template struct functions_of<halving>;
template struct functions_of<ring>;
template struct functions_of<circulant>;
template struct functions_of<one_shot>;
template struct functions_of<two_shot>;
template struct functions_of<mixed_radix>;
template struct functions_of<hierarchical>;
template struct functions_of<leaders>;
#endif

/// The number of "NAME:number"; 0 if the text is something else.
inline int parse_group(std::string_view text, std::string_view name) {
    if (!text.starts_with(name) || !text.substr(name.size()).starts_with(':')) { return 0; }
    auto const* const end = text.data() + text.size();
    int ranks = 0;
    auto const [rest, fault] = std::from_chars(text.data() + name.size() + 1, end, ranks);
    return fault == std::errc{} && rest == end && ranks > 0 ? ranks : 0;
}

}  // namespace detail

COLLECTIVES_INLINE any_algorithm parse_algorithm(std::string_view text) {
    if (text == automatic::name) { return automatic{}; }
    for (any_algorithm const a : all_algorithms) {
        if (a.name() == text) { return a; }
    }
    if (auto const n = detail::parse_group(text, hierarchical::name)) { return hierarchical{n}; }
    if (auto const n = detail::parse_group(text, leaders::name)) { return leaders{n}; }
    std::string known{automatic::name};
    for (auto const n : algorithm_names) { known.append(", ").append(n); }
    throw usage_error(text_of("unknown algorithm \"", text, "\"; there are ", known, ", ",
                              hierarchical::name, ":RANKS_PER_HOST, ", leaders::name,
                              ":RANKS_PER_DEVICE"));
}

}  // namespace collectives
