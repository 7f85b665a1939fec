// SPDX-License-Identifier: BSD-3-Clause
// A report holds all that a picture or a text shows of one algorithm.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/schedule/any_algorithm.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>
#include <collectives/schedule/drawing/transfers.hpp>
#include <collectives/schedule/drawing/words.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace collectives::inline v0::drawing {

/// One algorithm at one size: its schedules, what they cost, and whether they are right.
struct report {
    std::string name;
    collective what = collective::all_reduce;
    int size = 1;
    rank_t root = 0;
    std::size_t bytes = 0;  ///< of the whole vector of one rank
    std::vector<schedule> schedules;
    collectives::proof proof;
    collectives::cost cost;

    std::string title() const { return title_of(name, what, size, root); }
};

/// The memory of a proof grows with the cube of the ranks.
inline constexpr int most_drawn = 1024;

/// A root that is no rank is a usage_error.
inline void require_root(rank_t root, int size) {
    if (root < 0 || root >= size) {
        throw usage_error(text_of("root ", root, " is none of the ", counted(size, "rank")));
    }
}

/// Records, proves and costs an algorithm. Throws usage_error for a size, root or `automatic` that
/// has no picture, and error where steps name what does not exist.
inline report report_of(any_algorithm algorithm, collective what, int size, rank_t root,
                        std::size_t bytes = std::size_t{1} << 20) {
    if (size < 1 || size > most_drawn) {
        throw usage_error(text_of("a picture is of 1 to ", most_drawn, " ranks, not of ", size));
    }
    require_root(root, size);
    if (std::ranges::find(scheduled_collectives, what) == scheduled_collectives.end()) {
        throw usage_error(text_of("there is no picture of ", collectives::name(what)));
    }
    if (algorithm.is_automatic()) {
        throw usage_error("automatic has no picture: name an algorithm");
    }
    if (what == collective::barrier) { bytes = 0; }  // its blocks are empty
    auto schedules = algorithm.record_all(what, size, root);
    expect_steps_exist(schedules);
    auto const proof = check(schedules);
    auto cost = cost_of(schedules, bytes);
    return {collectives::name(algorithm), what,  size,           root, bytes,
            std::move(schedules),         proof, std::move(cost)};
}

}  // namespace collectives
