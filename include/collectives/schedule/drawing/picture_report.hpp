// SPDX-License-Identifier: BSD-3-Clause
// A report holds all that a picture or a text shows of one algorithm.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/lean_list.hpp>
#include <collectives/core/text.hpp>
#include <collectives/schedule/any_algorithm.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>
#include <collectives/schedule/drawing/labels.hpp>
#include <collectives/schedule/drawing/transfers.hpp>
#include <collectives/schedule/well_formed.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace collectives::inline v0::drawing {

/// One algorithm at one size: its schedules, what they cost, and whether they are right.
struct report {
    std::string name;
    collective what = collective::all_reduce;
    int size = 1;
    rank_t root = 0;
    std::size_t bytes = 0;  ///< of the whole vector of one rank
    lean_list<schedule> schedules;
    collectives::proof proof;
    collectives::cost cost;

    std::string title() const { return title_of(name, what, size, root); }
};

/// The memory of a proof grows with the cube of the ranks.
inline constexpr int most_drawn = 1024;

inline constexpr std::size_t drawn_bytes = std::size_t{1} << 20;  ///< of a vector, by default

/// Throws usage_error for a number of ranks that has no picture.
inline void require_drawable(std::ptrdiff_t ranks) {
    if (ranks < 1 || ranks > most_drawn) {
        throw_error<usage_error>("a picture is of 1 to ", most_drawn, " ranks, not of ", ranks);
    }
}

/// A root that is no rank is a usage_error.
inline void require_root(rank_t root, int size) {
    if (root < 0 || root >= size) {
        throw_error<usage_error>("root ", root, " is none of the ", counted(size, "rank"));
    }
}

/// Proves and costs recorded schedules; `ranks[r]` is rank r's. Throws usage_error where they are
/// not those of all ranks of one collective, and error where steps name what does not exist.
inline report report_of(std::string name, lean_list<schedule> ranks,
                        std::size_t bytes = drawn_bytes) {
    require_drawable(std::ssize(ranks));
    lean_list<schedule> heads;
    for (auto const& s : ranks) {
        heads.push_back({s.what, s.size, s.rank, s.root, s.chunks, s.rounds, {}});
    }
    if (auto const form = detail::form_of({heads.data(), heads.size()}); !form.ok) {
        throw_error<usage_error>("these schedules have no picture: ", form.what);
    }
    if (ranks[0].rounds < 0) {
        throw_error<usage_error>("a picture needs a number of rounds that is not negative");
    }
    expect_steps_exist(ranks);
    auto const& first = ranks[0];
    if (first.what == collective::barrier) { bytes = 0; }  // its blocks are empty
    auto const proof = check(ranks);
    auto cost = cost_of(ranks, bytes);
    return {std::move(name), first.what,       first.size, first.root,
            bytes,           std::move(ranks), proof,      std::move(cost)};
}

/// Records an algorithm, and reports on its schedules. Throws usage_error too for a size, root or
/// `automatic` that has no picture.
inline report report_of(any_algorithm algorithm, collective what, int size, rank_t root,
                        std::size_t bytes = drawn_bytes) {
    require_drawable(size);
    require_root(root, size);
    if (std::ranges::find(scheduled_collectives, what) == scheduled_collectives.end()) {
        throw_error<usage_error>("there is no picture of ", collectives::name(what));
    }
    if (algorithm.is_automatic()) {
        throw_error<usage_error>("automatic has no picture: name an algorithm");
    }
    return report_of(collectives::name(algorithm), algorithm.record_all(what, size, root), bytes);
}

}  // namespace collectives
