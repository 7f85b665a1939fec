// SPDX-License-Identifier: BSD-3-Clause
// A schedule: the recorded steps of one rank, which executors replay and checkers read.
#pragma once

#include <collectives/schedule/compose.hpp>

#include <vector>

namespace collectives {

/// One rank's steps in order, and what they are the steps of.
struct schedule {
    collective what = collective::all_reduce;
    int size = 1;
    rank_t rank = 0;
    rank_t root = 0;
    int chunks = 1;  ///< parts of the vector; the ranks' blocks where there are blocks
    int rounds = 0;  ///< of the whole collective: the same on all ranks
    std::vector<step> steps;
    friend constexpr bool operator==(schedule const&, schedule const&) = default;
};

namespace detail {

/// What all ranks' schedules have in common, found by emitting each of them once.
struct outline {
    collective what;
    int size;
    rank_t root;
    int chunks;
    int first_rounds;  ///< rounds of the first of the two stages
    int rounds;
};

template <algorithm A>
constexpr outline outline_of(A a, collective what, int size, rank_t root) {
    outline result{what, size, root, chunks_of(a, what, size), 0, 0};
    result.first_rounds = rounds_of_first_stage(a, what, size, root);
    recorder counted{nullptr, result.first_rounds};
    placed<recorder> emit(counted, result.first_rounds);
    for (rank_t r = 0; r < size; ++r) { second_stage(a, what, r, size, root, emit); }
    result.rounds = counted.rounds;
    return result;
}

template <algorithm A>
constexpr void append_steps(A a, outline const& plan, rank_t me, std::vector<step>& out) {
    recorder sink{&out, 0};
    emit_stages(a, plan.what, me, plan.size, plan.root, plan.first_rounds, sink);
}

}  // namespace detail

/// The schedule of rank `me` of `size`. Costs one emission of the steps of all ranks, because the
/// rounds of a composed collective depend on all of them; so keep it.
template <algorithm A>
constexpr schedule record(A a, collective what, rank_t me, int size, rank_t root = 0) {
    auto const plan = detail::outline_of(a, what, size, root);
    schedule result{what, size, me, root, plan.chunks, plan.rounds, {}};
    detail::append_steps(a, plan, me, result.steps);
    return result;
}

/// The schedules of all ranks, in rank order.
template <algorithm A>
constexpr std::vector<schedule> record_all(A a, collective what, int size, rank_t root = 0) {
    auto const plan = detail::outline_of(a, what, size, root);
    std::vector<schedule> result;
    for (rank_t r = 0; r < size; ++r) {
        result.push_back({what, size, r, root, plan.chunks, plan.rounds, {}});
        detail::append_steps(a, plan, r, result.back().steps);
    }
    return result;
}

}  // namespace collectives
