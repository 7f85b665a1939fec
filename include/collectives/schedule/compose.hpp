// SPDX-License-Identifier: BSD-3-Clause
// Every collective from every algorithm: what it does not emit itself is composed of what it does.
#pragma once

#include <collectives/schedule/algorithm.hpp>
#include <collectives/schedule/placed.hpp>
#include <collectives/schedule/straight.hpp>

namespace collectives {

/// Into how many chunks the steps of `what` cut the vector: `a.chunks(size)` where the algorithm's
/// all-reduce or its parts do the work, `size` blocks (chunk i belongs to rank i) elsewhere.
template <algorithm A>
constexpr int chunks_of([[maybe_unused]] A a, collective what, int size) {
    switch (what) {
        case collective::all_reduce: return a.chunks(size);
        case collective::broadcast:
            if constexpr (detail::has_broadcast<A> || detail::joins_on_owners<A>) {
                return a.chunks(size);
            } else {
                return detail::has_all_gather<A> ? size : 1;
            }
        case collective::reduce:
            if constexpr (detail::has_reduce<A> || detail::joins_on_owners<A>) {
                return a.chunks(size);
            } else {
                return detail::has_reduce_scatter<A> ? size : a.chunks(size);
            }
        default: return size;
    }
}

namespace detail {

template <class A>
constexpr rank_t owner_of([[maybe_unused]] A a, int chunk, [[maybe_unused]] int size) {
    if constexpr (has_owner<A> && joins_on_owners<A>) {
        return a.owner(chunk, size);
    } else {
        return chunk;
    }
}

/// One round in which each chunk moves between its owner and the root.
template <class A>
constexpr void owners_and_root([[maybe_unused]] A a, rank_t me, int size, rank_t root,
                               bool to_owners, auto&& emit) {
    int const chunks = joins_on_owners<A> ? a.chunks(size) : size;
    for (int c = 0; c < chunks; ++c) {
        rank_t const owner = owner_of(a, c, size);
        rank_t const from = to_owners ? root : owner;
        rank_t const to = to_owners ? owner : root;
        if (from == to) { continue; }
        if (me == from) { emit(step{0, verb::send, to, {c}}); }
        if (me == to) { emit(step{0, verb::recv_copy, from, {c}}); }
    }
}

/// One round in which each block moves between its rank and the owner of the chunk it lies in.
template <class A>
constexpr void owners_and_ranks([[maybe_unused]] A a, rank_t me, int size, bool to_owners,
                                auto&& emit) {
    for (int c = 0; c < a.chunks(size); ++c) {
        rank_t const owner = owner_of(a, c, size);
        auto const [first, count] = regrouped({c}, a.chunks(size), size);
        for (rank_t b = first; b < first + count; ++b) {
            if (owner == b) { continue; }
            if (me == (to_owners ? b : owner)) {
                emit(step{0, verb::send, to_owners ? owner : b, {b}});
            } else if (me == (to_owners ? owner : b)) {
                emit(step{0, verb::recv_copy, to_owners ? b : owner, {b}});
            }
        }
    }
}

template <class A>
constexpr void gather_blocks([[maybe_unused]] A a, rank_t me, int size, rank_t root, auto&& emit) {
    if constexpr (has_gather<A>) {
        a.gather(me, size, root, emit);
    } else {
        straight::gather(me, size, root, emit);
    }
}

template <class A>
constexpr void scatter_blocks([[maybe_unused]] A a, rank_t me, int size, rank_t root, auto&& emit) {
    if constexpr (has_scatter<A>) {
        a.scatter(me, size, root, emit);
    } else {
        straight::scatter(me, size, root, emit);
    }
}

/// The first of the two stages every collective consists of at most. `emit` is a `placed` sink.
template <class A>
constexpr void first_stage([[maybe_unused]] A a, collective what, rank_t me, int size, rank_t root,
                           auto& emit) {
    switch (what) {
        case collective::all_reduce:
            if constexpr (has_steps<A>) {
                a.steps(me, size, emit);
            } else if constexpr (joins_on_owners<A>) {
                a.reduce_scatter(me, size, emit);
            } else {
                a.reduce(me, size, 0, emit);
            }
            break;
        case collective::broadcast:
            if constexpr (has_broadcast<A>) {
                a.broadcast(me, size, root, emit);
            } else if constexpr (has_all_gather<A>) {
                owners_and_root(a, me, size, root, true, emit);
            } else {
                straight::broadcast(me, size, root, emit);
            }
            break;
        case collective::reduce:
            if constexpr (has_reduce<A>) {
                a.reduce(me, size, root, emit);
            } else if constexpr (has_reduce_scatter<A>) {
                a.reduce_scatter(me, size, emit);
            } else {
                a.steps(me, size, emit);
            }
            break;
        case collective::reduce_scatter:
            if constexpr (joins_on_owners<A>) {
                emit.regroup(a.chunks(size), size);
                a.reduce_scatter(me, size, emit);
            } else if constexpr (has_reduce_scatter<A>) {
                a.reduce_scatter(me, size, emit);
            } else if constexpr (joins_on_root<A>) {
                emit.regroup(a.chunks(size), size);
                a.reduce(me, size, 0, emit);
            } else {
                emit.regroup(a.chunks(size), size);
                a.steps(me, size, emit);
            }
            break;
        case collective::all_gather:
        case collective::barrier:
            if constexpr (joins_on_owners<A>) {
                owners_and_ranks(a, me, size, true, emit);
            } else if constexpr (has_all_gather<A>) {
                a.all_gather(me, size, emit);
            } else if constexpr (joins_on_root<A>) {
                gather_blocks(a, me, size, 0, emit);
            } else {
                straight::all_gather(me, size, emit);
            }
            break;
        case collective::gather: gather_blocks(a, me, size, root, emit); break;
        case collective::scatter: scatter_blocks(a, me, size, root, emit); break;
        case collective::all_to_all:
            if constexpr (has_all_to_all<A>) {
                a.all_to_all(me, size, emit);
            } else {
                straight::all_to_all(me, size, emit);
            }
            break;
        default: break;
    }
}

/// The second stage, empty for most.
template <class A>
constexpr void second_stage([[maybe_unused]] A a, collective what, rank_t me, int size, rank_t root,
                            auto& emit) {
    switch (what) {
        case collective::all_reduce:
            if constexpr (has_steps<A>) {
                break;
            } else if constexpr (joins_on_owners<A>) {
                a.all_gather(me, size, emit);
            } else {
                a.broadcast(me, size, 0, emit);
            }
            break;
        case collective::broadcast:
            if constexpr (!has_broadcast<A> && has_all_gather<A>) { a.all_gather(me, size, emit); }
            break;
        case collective::reduce:
            if constexpr (!has_reduce<A> && has_reduce_scatter<A>) {
                owners_and_root(a, me, size, root, false, emit);
            }
            break;
        case collective::reduce_scatter:
            if constexpr (joins_on_owners<A>) {
                owners_and_ranks(a, me, size, false, emit);
            } else if constexpr (!has_reduce_scatter<A> && joins_on_root<A>) {
                scatter_blocks(a, me, size, 0, emit);
            }
            break;
        case collective::all_gather:
        case collective::barrier:
            if constexpr (joins_on_owners<A>) {
                emit.regroup(a.chunks(size), size);
                a.all_gather(me, size, emit);
            } else if constexpr (!has_all_gather<A> && joins_on_root<A>) {
                emit.regroup(a.chunks(size), size);
                a.broadcast(me, size, 0, emit);
            }
            break;
        default: break;
    }
}

/// Where the second stage begins: a rank may be done with the first before the others are, so the
/// rounds of all ranks are looked at. Costs as much as emitting all of them once.
template <class A>
constexpr int rounds_of_first_stage(A a, collective what, int size, rank_t root) {
    recorder counted{};
    placed<recorder> emit(counted, 0);
    for (rank_t r = 0; r < size; ++r) {
        emit.regroup(1, 1);
        first_stage(a, what, r, size, root, emit);
    }
    return counted.rounds;
}

template <class A, class Sink>
constexpr void emit_stages(A a, collective what, rank_t me, int size, rank_t root, int first_rounds,
                           Sink& sink) {
    placed<Sink> first(sink, 0);
    first_stage(a, what, me, size, root, first);
    placed<Sink> second(sink, first_rounds);
    second_stage(a, what, me, size, root, second);
}

}  // namespace detail

/// Emits the steps of rank `me` of `size` in the collective `what`, rounds ascending. `root` is
/// looked at only where the collective has one. Composition, where A has no way of its own:
///
///     all_reduce      reduce_scatter, then all_gather | reduce to 0, then broadcast
///     broadcast       one round from the root to the owners, then all_gather
///     reduce          reduce_scatter, then one round from the owners to the root
///     reduce_scatter  reduce to 0, then scatter | all_reduce, of which each keeps its own block
///     all_gather      gather to 0, then broadcast
///     others          each block straight to its place in one round
///     barrier         the all_gather of empty blocks
///
/// The last five are over `size` blocks: the algorithm's chunk ranges become ranges of blocks, and
/// one round more moves blocks whose owner is another rank.
template <algorithm A>
constexpr void emit_steps(A a, collective what, rank_t me, int size, rank_t root,
                          step_sink auto&& emit) {
    int const first_rounds = detail::rounds_of_first_stage(a, what, size, root);
    detail::emit_stages(a, what, me, size, root, first_rounds, emit);
}

}  // namespace collectives
