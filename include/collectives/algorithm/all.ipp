// SPDX-License-Identifier: BSD-3-Clause
// The definitions of algorithm/all.hpp.
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/text.hpp>

#include <atomic>
#include <limits>
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

/// A list that only grows, so that it is read without a lock.
struct added_algorithm {
    any_algorithm its;
    std::atomic<added_algorithm*> next{nullptr};
};
/// It begins with an entry that holds nothing.
inline added_algorithm added_algorithms;

/// The number of "NAME:number"; 0 if the text is something else.
[[gnu::cold]] inline int parse_parameter(std::string_view text, std::string_view name) {
    if (!text.starts_with(name) || !text.substr(name.size()).starts_with(':')) { return 0; }
    text.remove_prefix(name.size() + 1);
    auto const number = take_number(text);
    constexpr int most = std::numeric_limits<int>::max();
    return number && *number <= most && text.empty() ? static_cast<int>(*number) : 0;
}

}  // namespace detail

COLLECTIVES_INLINE void add_algorithm(any_algorithm a) {
    if (a.name().empty() || a.name().find_first_of(",:") != std::string_view::npos) {
        throw_error<usage_error>("add_algorithm: '", a.name(), "' is no name for an algorithm");
    }
    auto const stands_for = [a](any_algorithm other) {
        auto const is_same = a.with_parameter(0) == other.with_parameter(0);
        if (!is_same && a.name() == other.name()) {
            throw_error<usage_error>("add_algorithm: another algorithm is called ", a.name());
        }
        return is_same;
    };
    for (any_algorithm const other : all_algorithms) {
        if (stands_for(other)) { return; }
    }
    if (stands_for(automatic{}) || stands_for(hierarchical{}) || stands_for(leaders{})) { return; }
    auto mine = make_owned<detail::added_algorithm>(a);
    for (auto* last = &detail::added_algorithms;;) {
        detail::added_algorithm* next = nullptr;
        if (last->next.compare_exchange_strong(next, mine.get())) {
            static_cast<void>(mine.release());  // for as long as the program runs
            return;
        }
        last = next;
        if (stands_for(last->its)) { return; }
    }
}

[[gnu::cold]] COLLECTIVES_INLINE any_algorithm known_algorithm(std::size_t i) {
    if (i < all_algorithms.size()) { return all_algorithms[i]; }
    auto const* last = detail::added_algorithms.next.load();
    for (i -= all_algorithms.size(); last != nullptr && i > 0; --i) { last = last->next; }
    return last != nullptr ? last->its : any_algorithm{};
}

[[gnu::cold]] COLLECTIVES_INLINE any_algorithm parse_algorithm(std::string_view text) {
    if (text == automatic::name) { return automatic{}; }
    std::string known{automatic::name};
    auto const add = [&known](any_algorithm a, std::string_view parameter) {
        add_text(known, ", ", a.name(), parameter);
    };
    auto const means = [text](any_algorithm& a) {
        if (!a.has_parameter()) { return a.name() == text; }
        auto const n = detail::parse_parameter(text, a.name());
        a = a.with_parameter(n);
        return n != 0;
    };
    for (std::size_t i = 0;; ++i) {
        auto a = known_algorithm(i);
        if (a.is_automatic()) { break; }
        if (means(a)) { return a; }
        add(a, a.has_parameter() ? ":NUMBER" : "");
    }
    any_algorithm host = hierarchical{}, device = leaders{};
    if (means(host)) { return host; }
    if (means(device)) { return device; }
    add(host, ":RANKS_PER_HOST");
    add(device, ":RANKS_PER_DEVICE");
    throw_error<usage_error>("unknown algorithm \"", text, "\"; there are ", known);
}

}  // namespace collectives
