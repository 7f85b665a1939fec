// SPDX-License-Identifier: BSD-3-Clause
// Every collective from every algorithm: what it does not emit itself is composed of what it does.
//
//     all_reduce      reduce_scatter, then all_gather | reduce to 0, then broadcast
//     broadcast       one round from the root to the owners, then all_gather
//     reduce          reduce_scatter, then one round from the owners to the root
//     scan            each contribution straight to all higher ranks in one round
//     exscan          each contribution to the next rank, then a scan among ranks 1 .. P-1
//     reduce_scatter  reduce to 0, then scatter | all_reduce, of which each keeps its own block
//     all_gather      gather to 0, then broadcast
//     others          each block straight to its place in one round
//     barrier         the all_gather of empty blocks
//
// The last five are over `size` blocks: the algorithm's chunk ranges become ranges of blocks, and
// one round more moves blocks whose owner is another rank.
#pragma once

#include <collectives/schedule/collector.hpp>
#include <collectives/schedule/source.hpp>
#include <collectives/schedule/linear.hpp>

namespace collectives::inline v0::detail {

[[gnu::cold]] constexpr int chunks_of(step_source const& a, collective what, int size) {
    bool const cut = a.joins_on_owners();
    switch (what) {
        case collective::all_reduce: return a.chunks_for(size);
        case collective::broadcast:
            if (cut || a.has(pattern::broadcast)) { return a.chunks_for(size); }
            return a.has(pattern::all_gather) ? size : 1;
        case collective::reduce:
            if (cut || a.has(pattern::reduce)) { return a.chunks_for(size); }
            return a.has(pattern::reduce_scatter) ? size : a.chunks_for(size);
        case collective::scan: return a.has(pattern::scan) ? a.chunks_for(size) : 1;
        case collective::exscan: return size > 1 ? chunks_of(a, collective::scan, size - 1) : 1;
        default: return size;
    }
}

/// One rank's part of one of the (at most two) stages of a collective.
class stage {
public:
    constexpr stage(step_source const& a, rank_t me, int size, rank_t root, step_collector emit)
        : a_(a), me_(me), size_(size), root_(root), emit_(emit) {}

    [[gnu::cold]] constexpr void first(collective what) {
        switch (what) {
            case collective::all_reduce:
                if (a_.has(pattern::steps)) { return own(pattern::steps); }
                if (a_.joins_on_owners()) { return own(pattern::reduce_scatter); }
                return own(pattern::reduce, 0);
            case collective::broadcast:
                if (a_.has(pattern::broadcast)) { return own(pattern::broadcast); }
                if (a_.has(pattern::all_gather)) { return owners_and_root(true); }
                return linear::broadcast(me_, size_, root_, emit_);
            case collective::reduce:
                if (a_.has(pattern::reduce)) { return own(pattern::reduce); }
                if (a_.has(pattern::reduce_scatter)) { return own(pattern::reduce_scatter); }
                return own(pattern::steps);
            case collective::reduce_scatter:
                if (a_.joins_on_owners()) { return in_blocks(pattern::reduce_scatter); }
                if (a_.has(pattern::reduce_scatter)) { return own(pattern::reduce_scatter); }
                return in_blocks(a_.joins_on_root() ? pattern::reduce : pattern::steps);
            case collective::all_gather:
            case collective::barrier:
                if (a_.joins_on_owners()) { return owners_and_ranks(true); }
                if (a_.has(pattern::all_gather)) { return own(pattern::all_gather); }
                if (a_.joins_on_root()) { return gather(0); }
                return linear::all_gather(me_, size_, emit_);
            case collective::gather: return gather(root_);
            case collective::scatter: return scatter(root_);
            case collective::all_to_all:
                if (a_.has(pattern::all_to_all)) { return own(pattern::all_to_all); }
                return linear::all_to_all(me_, size_, emit_);
            case collective::scan: return scan();
            case collective::exscan: return shift({0, chunks_of(a_, what, size_)});
            default: return;
        }
    }

    /// The second stage; empty for most collectives.
    [[gnu::cold]] constexpr void second(collective what) {
        switch (what) {
            case collective::all_reduce:
                if (a_.has(pattern::steps)) { return; }
                if (a_.joins_on_owners()) { return own(pattern::all_gather); }
                return own(pattern::broadcast, 0);
            case collective::broadcast:
                if (a_.has(pattern::broadcast) || !a_.has(pattern::all_gather)) { return; }
                return own(pattern::all_gather);
            case collective::reduce:
                if (a_.has(pattern::reduce) || !a_.has(pattern::reduce_scatter)) { return; }
                return owners_and_root(false);
            case collective::reduce_scatter:
                if (a_.joins_on_owners()) { return owners_and_ranks(false); }
                if (a_.has(pattern::reduce_scatter) || !a_.joins_on_root()) { return; }
                return scatter(0);
            case collective::all_gather:
            case collective::barrier:
                if (a_.joins_on_owners()) { return in_blocks(pattern::all_gather); }
                if (a_.has(pattern::all_gather) || !a_.joins_on_root()) { return; }
                return in_blocks(pattern::broadcast);
            case collective::exscan:
                if (me_ == 0) { return; }
                --me_;  // the other ranks scan among themselves
                --size_;
                emit_.leave_out_first_rank();
                return scan();
            default: return;
        }
    }

private:
    constexpr void own(pattern what) { own(what, root_); }
    [[gnu::cold]] constexpr void own(pattern what, rank_t root) {
        a_.emit(a_.parameter, {what, me_, size_, root}, emit_);
    }
    /// Emits a pattern with its chunks renamed to blocks.
    [[gnu::cold]] constexpr void in_blocks(pattern what) {
        emit_.regroup(a_.chunks_for(size_), size_);
        own(what, 0);
    }
    [[gnu::cold]] constexpr void gather(rank_t root) {
        if (a_.has(pattern::gather)) { return own(pattern::gather, root); }
        linear::gather(me_, size_, root, emit_);
    }
    [[gnu::cold]] constexpr void scatter(rank_t root) {
        if (a_.has(pattern::scatter)) { return own(pattern::scatter, root); }
        linear::scatter(me_, size_, root, emit_);
    }

    [[gnu::cold]] constexpr void scan() {
        if (a_.has(pattern::scan)) { return own(pattern::scan); }
        linear::scan(me_, size_, emit_);
    }

    [[gnu::cold, gnu::noinline]] constexpr void move(rank_t from, rank_t to, chunk_range chunks) {
        if (from == to) { return; }
        if (me_ == from) { emit_(step{0, verb::send, to, chunks}); }
        if (me_ == to) { emit_(step{0, verb::recv_copy, from, chunks}); }
    }
    /// Each rank passes its contribution on to the next one, which forgets its own.
    constexpr void shift(chunk_range all) {
        for (rank_t r = 1; r < size_; ++r) { move(r - 1, r, all); }
    }
    /// Emits one round in which each chunk moves between its owner and the root.
    [[gnu::cold]] constexpr void owners_and_root(bool to_owners) {
        int const chunks = a_.joins_on_owners() ? a_.chunks_for(size_) : size_;
        for (int c = 0; c < chunks; ++c) {
            rank_t const owner = a_.owner_of(c, size_);
            move(to_owners ? root_ : owner, to_owners ? owner : root_, {c});
        }
    }
    /// Emits one round in which each block moves between its rank and the owner of its chunk.
    [[gnu::cold]] constexpr void owners_and_ranks(bool to_owners) {
        int const chunks = a_.chunks_for(size_);
        for (int c = 0; c < chunks; ++c) {
            rank_t const owner = a_.owner_of(c, size_);
            auto const [first, count] = regrouped({c}, chunks, size_);
            for (rank_t b = first; b < first + count; ++b) {
                move(to_owners ? b : owner, to_owners ? owner : b, {b});
            }
        }
    }

    step_source const& a_;
    rank_t me_;
    int size_;
    rank_t root_;
    step_collector emit_;
};

/// The number of chunks into which the steps of `what` cut the vector: `a.chunks(size)` if the
/// algorithm's all-reduce or its halves do the work, else `size` blocks (chunk i belongs to rank
/// i).
template <algorithm A>
constexpr int chunks_of(A a, collective what, int size) {
    return chunks_of(source_of(a), what, size);
}

}  // namespace collectives::detail
