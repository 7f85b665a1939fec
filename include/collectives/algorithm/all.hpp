// SPDX-License-Identifier: BSD-3-Clause
// All algorithms, and how to find one by its name.
#pragma once

#include <collectives/algorithm/butterfly.hpp>
#include <collectives/algorithm/circulant.hpp>
#include <collectives/algorithm/halving.hpp>
#include <collectives/algorithm/hierarchical.hpp>
#include <collectives/algorithm/leaders.hpp>
#include <collectives/algorithm/mixed_radix.hpp>
#include <collectives/algorithm/one_shot.hpp>
#include <collectives/algorithm/ring.hpp>
#include <collectives/algorithm/star.hpp>
#include <collectives/algorithm/tree.hpp>
#include <collectives/algorithm/two_shot.hpp>
#include <collectives/core/deferred.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/schedule/any_algorithm.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace collectives {

/// Every algorithm of the library that is for any number of ranks, from the simplest on. Beside
/// them there is `hierarchical`, which has to be told how many ranks a host has.
inline constexpr std::array<any_algorithm, 9> all_algorithms{star{},     tree{},     butterfly{},
                                                             halving{},  ring{},     circulant{},
                                                             one_shot{}, two_shot{}, mixed_radix{}};

/// Their names, in the same order.
inline constexpr auto algorithm_names = [] {
    std::array<std::string_view, all_algorithms.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) { names[i] = all_algorithms[i].name(); }
    return names;
}();

namespace detail {

/// "hierarchical:4"; none if it is something else.
template <class A>
std::optional<A> parse_grouped(std::string_view text) {
    constexpr auto head = A::name;
    if (!text.starts_with(head) || !text.substr(head.size()).starts_with(':')) { return {}; }
    auto const* const end = text.data() + text.size();
    int ranks = 0;
    auto const [rest, fault] = std::from_chars(text.data() + head.size() + 1, end, ranks);
    if (fault != std::errc{} || rest != end || ranks < 1) { return {}; }
    return A{ranks};
}

}  // namespace detail

/// The algorithm with this name, or `automatic`: what `name` says of it. An unknown name is a
/// usage_error that lists them.
template <class X = void>
any_algorithm parse_algorithm(std::string_view text) {
    if (text == automatic::name) { return automatic{}; }
    for (any_algorithm const a : all_algorithms) {
        if (a.name() == text) { return a; }
    }
    if (auto const a = detail::parse_grouped<deferred<hierarchical, X>>(text)) { return *a; }
    if (auto const a = detail::parse_grouped<deferred<leaders, X>>(text)) { return *a; }
    std::string known{automatic::name};
    for (auto const n : algorithm_names) { known.append(", ").append(n); }
    throw usage_error(text_of("unknown algorithm \"", text, "\"; there are ", known, ", ",
                              hierarchical::name, ":RANKS_PER_HOST, ", leaders::name,
                              ":RANKS_PER_DEVICE"));
}

}  // namespace collectives
