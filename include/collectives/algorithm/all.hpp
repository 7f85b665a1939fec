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
#include <collectives/core/compiled.hpp>
#include <collectives/schedule/any_algorithm.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace collectives::inline v0 {

#ifdef COLLECTIVES_COMPILED
namespace detail {
extern template struct functions_of<star>;
extern template struct functions_of<tree>;
extern template struct functions_of<butterfly>;
extern template struct functions_of<halving>;
extern template struct functions_of<ring>;
extern template struct functions_of<circulant>;
extern template struct functions_of<one_shot>;
extern template struct functions_of<two_shot>;
extern template struct functions_of<mixed_radix>;
extern template struct functions_of<hierarchical>;
extern template struct functions_of<leaders>;
}  // namespace detail
#endif

/// Every algorithm of the library that fits any number of ranks, the simplest first. `hierarchical`
/// and `leaders` are not among them: they need the number of ranks per host or device.
inline constexpr std::array<any_algorithm, 9> all_algorithms{star{},     tree{},     butterfly{},
                                                             halving{},  ring{},     circulant{},
                                                             one_shot{}, two_shot{}, mixed_radix{}};

/// The names of these algorithms, in the same order.
inline constexpr auto algorithm_names = [] {
    std::array<std::string_view, all_algorithms.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) { names[i] = all_algorithms[i].name(); }
    return names;
}();

/// Makes an algorithm of the program's own known by its name to `parse_algorithm` and the overrides
/// of the environment, and to `automatic`, which prices it on communicators that are made
/// afterwards. All ranks add the same ones in the same order; adding one again does nothing. Throws
/// usage_error if another algorithm has the name, or if the name holds ',' or ':'. May be called
/// from any thread.
void add_algorithm(any_algorithm a);

/// Number `i` of `all_algorithms` and of those that were added, which come last; `automatic` if
/// there are fewer.
any_algorithm known_algorithm(std::size_t i);

/// The algorithm with this name, as the function `name` gives it; also `automatic`. An unknown name
/// is a usage_error that lists the names.
any_algorithm parse_algorithm(std::string_view text);

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/algorithm/all.ipp>
#endif
