// SPDX-License-Identifier: BSD-3-Clause
// A schedule: the recorded steps of one rank, which lowering and checkers read.
#pragma once

#include <collectives/core/lean_list.hpp>
#include <collectives/schedule/compose.hpp>

namespace collectives::inline v0 {

/// One rank's steps in order, and the collective that they belong to.
struct schedule {
    collective what = collective::all_reduce;  ///< what the steps add up to
    int size = 1;                              ///< ranks
    rank_t rank = 0;                           ///< the one whose steps these are
    rank_t root = 0;                           ///< counts only if the collective is rooted
    int chunks = 1;         ///< parts of the vector; the ranks' blocks where there are blocks
    int rounds = 0;         ///< of the whole collective: the same on all ranks
    lean_list<step> steps;  ///< rounds ascending
    friend constexpr bool operator==(schedule const&, schedule const&) = default;
};

namespace detail {

/// What all ranks' schedules have in common, found by emitting each of them once.
struct schedule_shape {
    collective what;
    int size;
    rank_t root;
    int chunks;
    int first_rounds;  ///< rounds of the first of the two stages
    int rounds;
};

[[gnu::cold]] constexpr schedule_shape schedule_shape_of(step_source const& from, collective what,
                                                         int size, rank_t root) {
    schedule_shape result{what, size, root, chunks_of(from, what, size), 0, 0};
    recorder counted;
    for (rank_t r = 0; r < size; ++r) { stage(from, r, size, root, {counted, {}}).first(what); }
    // The second stage begins after the first one's last round, although a rank may end sooner.
    result.first_rounds = counted.rounds;
    for (rank_t r = 0; r < size; ++r) {
        stage(from, r, size, root, {counted, {result.first_rounds}}).second(what);
    }
    result.rounds = counted.rounds;
    return result;
}

constexpr void append_steps(step_source const& from, schedule_shape const& shape, rank_t me,
                            lean_list<step>& out) {
    recorder kept{&out};
    stage(from, me, shape.size, shape.root, {kept, {}}).first(shape.what);
    stage(from, me, shape.size, shape.root, {kept, {shape.first_rounds}}).second(shape.what);
}

constexpr schedule record(step_source const& from, schedule_shape const& shape, rank_t me) {
    schedule result{shape.what, shape.size, me, shape.root, shape.chunks, shape.rounds, {}};
    append_steps(from, shape, me, result.steps);
    return result;
}

[[gnu::cold]] constexpr lean_list<schedule> record_all(step_source const& from,
                                                       schedule_shape const& shape) {
    lean_list<schedule> result(static_cast<std::size_t>(shape.size));
    for (rank_t r = 0; r < shape.size; ++r) {
        result[static_cast<std::size_t>(r)] = record(from, shape, r);
    }
    return result;
}

}  // namespace detail

/// The schedule of rank `me` of `size`. `root` counts only if the collective is rooted. Emits the
/// steps of all ranks once, because the rounds of a composed collective depend on all of them; so
/// keep the result.
template <algorithm A>
constexpr schedule record(A a, collective what, rank_t me, int size, rank_t root = 0) {
    auto const from = detail::source_of(a);
    return detail::record(from, detail::schedule_shape_of(from, what, size, root), me);
}

/// The schedules of all ranks, in rank order.
template <algorithm A>
constexpr lean_list<schedule> record_all(A a, collective what, int size, rank_t root = 0) {
    auto const from = detail::source_of(a);
    return detail::record_all(from, detail::schedule_shape_of(from, what, size, root));
}

}  // namespace collectives
