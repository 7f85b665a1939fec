// SPDX-License-Identifier: BSD-3-Clause
// All algorithms, and how to find one by its name.
#pragma once

#include <collectives/algorithm/butterfly.hpp>
#include <collectives/algorithm/circulant.hpp>
#include <collectives/algorithm/halving.hpp>
#include <collectives/algorithm/mixed_radix.hpp>
#include <collectives/algorithm/one_shot.hpp>
#include <collectives/algorithm/ring.hpp>
#include <collectives/algorithm/star.hpp>
#include <collectives/algorithm/tree.hpp>
#include <collectives/algorithm/two_shot.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/schedule/any_algorithm.hpp>

#include <array>
#include <string>
#include <string_view>

namespace collectives {

/// Every algorithm of the library, from the simplest on.
inline constexpr std::array<any_algorithm, 9> all_algorithms{star{},     tree{},     butterfly{},
                                                             halving{},  ring{},     circulant{},
                                                             one_shot{}, two_shot{}, mixed_radix{}};

/// Their names, in the same order.
inline constexpr auto algorithm_names = [] {
    std::array<std::string_view, all_algorithms.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) { names[i] = all_algorithms[i].name(); }
    return names;
}();

/// The algorithm with this name, or `automatic`. An unknown name is a usage_error that lists them.
inline any_algorithm parse_algorithm(std::string_view name) {
    if (name == automatic::name) { return automatic{}; }
    for (any_algorithm const a : all_algorithms) {
        if (a.name() == name) { return a; }
    }
    std::string known{automatic::name};
    for (auto const n : algorithm_names) { known.append(", ").append(n); }
    throw usage_error(text_of("unknown algorithm \"", name, "\"; there are ", known));
}

}  // namespace collectives
