// SPDX-License-Identifier: BSD-3-Clause
// The cost of an all-reduce without its steps, from symmetry and depth, for any number of ranks.
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/types.hpp>

#include <algorithm>
#include <cstdint>

namespace collectives::inline v0 {

/// What `cost_of` counts, and the messages that the busiest rank sends or receives. Bytes are
/// exact; those of all ranks together may be more than 64 bits hold.
struct closed_cost {
    std::int64_t rounds = 0;    ///< as `cost::rounds`
    std::int64_t messages = 0;  ///< of the busiest rank
    std::int64_t bytes = 0;     ///< as `cost::critical`
    std::int64_t reduced = 0;   ///< as `cost::critical`, of added bytes
    double total = 0;           ///< bytes sent by all ranks
};

namespace detail {

/// n bytes cut into chunks, of which the first are one byte longer: what `some` chunks in a row
/// hold at most.
struct even_cut {
    std::int64_t least, longer;
    even_cut(std::int64_t n, std::int64_t chunks) : least(n / chunks), longer(n % chunks) {}
    std::int64_t most(std::int64_t some) const { return some * least + std::min(some, longer); }
};

/// Adds a round of the reduce-scatter and the one of the all-gather that mirrors it. In the first
/// the busiest rank sends and receives so many messages, and adds all that it receives.
inline void add_round_and_mirror(closed_cost& c, std::int64_t messages, std::int64_t received,
                                 std::int64_t sent) {
    c.rounds += 2;
    c.messages += 2 * messages;
    c.bytes += 2 * std::max(received, sent);
    c.reduced += received;
}

/// Adds an exchange in which each of `ranks` keeps one of as many parts, sends the others, and
/// receives its own part from all. A part is that many chunks of the cut.
inline void add_two_shot(closed_cost& c, even_cut const& cut, std::int64_t ranks,
                         std::int64_t part) {
    auto const others = ranks - 1;
    if (others > 0) {
        add_round_and_mirror(c, others, others * cut.most(part), cut.most(others * part));
    }
}

/// Adds mixed_radix: two_shot along each prime factor of `ranks`, over as many chunks of the cut.
inline void add_mixed_radix(closed_cost& c, even_cut const& cut, std::int64_t ranks) {
    for (std::int64_t f = 2; ranks > 1; ++f) {
        if (f * f > ranks) { f = ranks; }
        for (; ranks % f == 0; ranks /= f) { add_two_shot(c, cut, f, ranks / f); }
    }
}

}  // namespace detail

/// The cost of an all-reduce of `n` bytes over `size` ranks, in O(log size) or O(sqrt size) time.
/// Throws usage_error for an algorithm that is not of the library, or does not fit so many ranks.
inline closed_cost closed_form(any_algorithm a, int size, std::int64_t n) {
    if (size < 1 || n < 0 || !a.fits(size)) {
        throw_error<usage_error>(name(a), " is not for ", size, " ranks");
    }
    std::int64_t const p = size;
    std::int64_t const up = ceil_log2(size), down = floor_log2(size);
    auto const q = std::int64_t{1} << down;  // ranks that take part; the others fold onto them
    std::int64_t const folds = q == p ? 0 : 1;
    auto const volume = 2 * static_cast<double>(p - 1) * static_cast<double>(n);
    detail::even_cut const cut(n, p);
    if (size == 1) { return {}; }
    if (a.is<star>()) { return {2 * (p - 1), p - 1, 2 * (p - 1) * n, (p - 1) * n, volume}; }
    if (a.is<tree>()) { return {2 * up, up, 2 * up * n, up * n, volume}; }
    if (a.is<one_shot>()) {
        return {1, p - 1, (p - 1) * n, (p - 1) * n, volume * static_cast<double>(p) / 2};
    }
    if (a.is<butterfly>()) {
        auto const sent = static_cast<double>(q * down + 2 * (p - q)) * static_cast<double>(n);
        return {down + 2 * folds, down + folds, (down + 2 * folds) * n, (down + folds) * n, sent};
    }
    if (a.is<ring>()) {
        return {2 * (p - 1), 2 * (p - 1), 2 * (p - 1) * cut.most(1), (p - 1) * cut.most(1), volume};
    }
    closed_cost c;
    c.total = volume;
    if (a.is<halving>()) {
        c = {2 * folds, folds, 2 * folds * n, folds * n, volume};
        detail::even_cut const halves(n, q);
        for (auto half = q / 2; half > 0; half /= 2) {
            detail::add_round_and_mirror(c, 1, halves.most(half), halves.most(half));
        }
    } else if (a.is<circulant>()) {
        for (auto held = p; held > 1; held = (held + 1) / 2) {
            detail::add_round_and_mirror(c, 1, cut.most(held / 2), cut.most(held / 2));
        }
    } else if (a.is<two_shot>()) {
        detail::add_two_shot(c, cut, p, 1);
    } else if (a.is<mixed_radix>()) {
        detail::add_mixed_radix(c, cut, p);
    } else if (a.is<hierarchical>()) {
        auto const hosts = p / a.parameter();
        detail::add_two_shot(c, cut, a.parameter(), hosts);
        detail::add_mixed_radix(c, cut, hosts);
    } else if (a.is<leaders>()) {
        std::int64_t const own = a.parameter(), devices = p / own;
        if (own > 1) { c = {2, own - 1, 2 * (own - 1) * n, (own - 1) * n, volume}; }
        detail::add_two_shot(c, {n, devices}, devices, 1);
    } else {
        throw_error<usage_error>("no closed form is known of ", name(a));
    }
    return c;
}

}  // namespace collectives
