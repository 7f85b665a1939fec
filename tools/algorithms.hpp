// SPDX-License-Identifier: BSD-3-Clause
// The algorithms that a tool knows: the library's own, and those that --load has added.
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <vector>

/// The library's own first, but for `hierarchical` and `leaders`; the others with their default
/// parameter, if they have one.
inline std::vector<collectives::any_algorithm> known_algorithms() {
    std::vector<collectives::any_algorithm> all;
    for (std::size_t i = 0; !collectives::known_algorithm(i).is_automatic(); ++i) {
        all.push_back(collectives::known_algorithm(i));
    }
    return all;
}
/// The same without those that are not for so many ranks, which it names on standard
/// error if it is to tell.
inline std::vector<collectives::any_algorithm> known_algorithms(int size, bool tell = true) {
    auto all = known_algorithms();
    std::erase_if(all, [&](collectives::any_algorithm a) {
        if (a.fits(size)) { return false; }
        if (tell) {
            std::fprintf(stderr, "%s is left out: it is not for %d ranks\n",
                         collectives::name(a).c_str(), size);
        }
        return true;
    });
    return all;
}

/// Up to so many ranks an algorithm can be proved: the memory of a proof grows with their cube.
inline constexpr int most_proved = 1024;

/// Throws usage_error where an algorithm is not for so many ranks, and std::runtime_error where it
/// is wrong for them. The library's own are known to be right.
inline void expect_right(collectives::any_algorithm a, int size,
                         collectives::collective what = collectives::collective::all_reduce,
                         int root = 0) {
    if (!a.fits(size)) {
        throw collectives::usage_error(
            collectives::text_of(collectives::name(a), " is not for ", size, " ranks"));
    }
    auto const verdict = a.verdict(size, what, root);
    if (verdict.ok) { return; }
    throw std::runtime_error(collectives::text_of(collectives::name(a), " does no ",
                                                  collectives::name(what), " over ", size,
                                                  " ranks: ", verdict.what));
}
