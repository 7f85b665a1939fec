// SPDX-License-Identifier: BSD-3-Clause
// What fused kernels do: the collectives that add up, and those that move.
#pragma once

#include <collectives/space/cuda/body.hpp>
#include <collectives/space/cuda/fused.hpp>
#include <collectives/space/cuda/fused_session.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace collectives::cuda {

namespace detail {

/// Of part j of `parts`: `n` elements from element `begin` of it on.
constexpr stretch piece(std::size_t count, int parts, int j, std::size_t begin, std::size_t n) {
    auto const whole = cut(count, parts, j);
    auto const skip = least(begin, whole.size);
    return {whole.first + skip, least(n, whole.size - skip)};
}

/// Where the element is in a buffer that a rank has told of, or else in its slot.
template <class Byte>
constexpr Byte* shown_or(Byte* shown, std::size_t bytes, std::byte* slot) {
    return shown == nullptr ? slot : shown + bytes;
}

}  // namespace detail

/// all_reduce, reduce, reduce_scatter: every element is one left fold in the order of the ranks.
template <class Op, class T>
struct fused_fold {
    using body = fold_body<Op, T>;

    fused_call call;
    Op op;
    bool twice = false;  // one rank's truth is that of two equal ones

    /// One rank's block of the vector is added up at a time where each adds up its own; else, what
    /// comes through the slots comes in turn, so that nobody waits before he goes on.
    template <class Block>
    constexpr void operator()(Block& b) const {
        session<Block> s(b, call);
        if (s.failed()) { return; }
        auto const straight = call.kind == fused_kind::one_shot || call.kind == fused_kind::reduce;
        auto const spreads = call.kind == fused_kind::two_shot;
        auto const adds = call.kind != fused_kind::reduce || s.rank() == call.root;
        auto const parts = straight ? 1 : s.size(), part = straight ? 0 : s.rank();
        auto const own = detail::cut(call.count, parts, part);
        auto const longest = detail::cut(call.count, parts, 0).size;
        s.parts(parts);
        auto sub = s.at_once();
        std::size_t begin = 0;
        do {
            if (call.where_in == 0) {
                for (int j = 0; j < parts; ++j) {
                    auto const its = detail::piece(call.count, parts, j, begin, sub);
                    auto const p = s.portion(its, detail::least(sub, longest));
                    s.copy(s.next_slot(j, p.first, its.first), call.in + p.first * sizeof(T),
                           p.size * sizeof(T));
                }
            }
            if (!s.meet(begin == 0)) { return; }
            if (begin == 0 && all_show(s, spreads)) { sub = longest; }
            auto const all = detail::piece(call.count, parts, part, begin, sub);
            auto const mine = s.portion(all, detail::least(sub, longest));
            auto const at = mine.first * sizeof(T);
            fold(
                b, adds ? mine.size : 0, s.size(),
                [&](rank_t r) -> std::byte const* {
                    auto* const slot = s.in_slot(r, part, mine.first, all.first);
                    // In turn: a peer may be in its next call, and have told of that.
                    return straight ? slot : detail::shown_or(s.in_of(r), at, slot);
                },
                spreads ? s.size() : 1,
                [&](rank_t r) {
                    if (!spreads) { return call.out + (mine.first - own.first) * sizeof(T); }
                    return detail::shown_or(s.out_of(r), at,
                                            s.out_slot(r, part, mine.first, all.first));
                });
            if (!straight && !s.meet()) { return; }
            for (int j = 0; j < parts && spreads && call.where_out == 0; ++j) {
                auto const its = detail::piece(call.count, parts, j, begin, sub);
                auto const p = s.portion(its, detail::least(sub, longest));
                s.copy(call.out + p.first * sizeof(T), s.out_slot(s.rank(), j, p.first, its.first),
                       p.size * sizeof(T));
            }
            begin += sub;
        } while (begin < longest);
        s.end();
    }

private:
    template <class Block>
    using session = detail::fused_session<Block>;

    template <class Block>
    static constexpr bool all_show(session<Block> const& s, bool outputs) {
        for (rank_t r = 0; r < s.size(); ++r) {
            if (s.in_of(r) == nullptr || (outputs && s.out_of(r) == nullptr)) { return false; }
        }
        return true;
    }

    /// The pointers are found once, for all threads of the block.
    template <class Block, class Source, class Target>
    constexpr void fold(Block& b, std::size_t n, int size, Source const& source, int outputs,
                        Target const& target) const {
        if (n == 0) { return; }
        auto& all = b.template room<body>();
        b.sync();
        b.for_workers([&](detail::worker w) {
            if (w.number != 0) { return; }
            std::construct_at(&all, body{.op = op});
            detail::packing_finder<T> packs;
            all.count = n;
            all.n = twice ? 2 : size;
            all.outputs = outputs;
            all.finish_size = size;
            all.raw = true;
            for (int k = 0; k < all.n; ++k) {
                all.sources[k] = source(twice ? 0 : k);
                packs.add(all.sources[k]);
            }
            for (int k = 0; k < outputs; ++k) {
                all.to[k] = target(k);
                packs.add(all.to[k]);
            }
            auto const found = packs.of(n);
            all.before = found.before;
            all.packs = found.packs;
        });
        b.sync();
        b.for_workers([&](detail::worker w) { all(w); });
    }
};

/// all_gather and broadcast: who has something writes it to all.
struct fused_move {
    fused_call call;

    template <class Block>
    constexpr void operator()(Block& b) const {
        detail::fused_session<Block> s(b, call);
        if (s.failed()) { return; }
        auto const from_all = call.kind == fused_kind::all_gather;
        auto const parts = from_all ? s.size() : 1;
        auto const part = from_all ? s.rank() : 0;
        auto const writes = from_all || s.rank() == call.root;
        auto const own = detail::cut(call.count, parts, part);
        auto const longest = detail::cut(call.count, parts, 0).size;
        auto const e = call.elem_size;
        s.parts(parts);
        auto sub = s.at_once();
        std::size_t begin = 0;
        do {
            if (!s.meet(begin == 0)) { return; }
            if (begin == 0 && all_show(s)) { sub = longest; }
            auto const all = detail::piece(call.count, parts, part, begin, sub);
            if (writes) {
                spread(s, s.portion(all, detail::least(sub, longest)), all.first, part, own.first);
            }
            if (!s.meet()) { return; }
            for (int j = 0; j < parts && call.where_out == 0; ++j) {
                auto const its = detail::piece(call.count, parts, j, begin, sub);
                auto const p = s.portion(its, detail::least(sub, longest));
                s.copy(call.out + p.first * e, s.out_slot(s.rank(), j, p.first, its.first),
                       p.size * e);
            }
            begin += sub;
        } while (begin < longest);
        s.end();
    }

private:
    template <class Block>
    static constexpr bool all_show(detail::fused_session<Block> const& s) {
        for (rank_t r = 0; r < s.size(); ++r) {
            if (s.out_of(r) == nullptr) { return false; }
        }
        return true;
    }
    /// A little at a time, which is then read from the cache for all but the first.
    template <class Block>
    constexpr void spread(detail::fused_session<Block>& s, detail::stretch mine, std::size_t from,
                          int part, std::size_t own) const {
        constexpr std::size_t little = std::size_t{64} << 10;
        auto const e = call.elem_size;
        auto const at_a_time = e < little ? little / e / 16 * 16 + 16 : 1;
        for (std::size_t done = 0; done < mine.size; done += at_a_time) {
            auto const first = mine.first + done;
            auto const bytes = detail::least(at_a_time, mine.size - done) * e;
            for (rank_t r = 0; r < s.size(); ++r) {
                auto* const to =
                    detail::shown_or(s.out_of(r), first * e, s.out_slot(r, part, first, from));
                s.copy(to, call.in + (first - own) * e, bytes);
            }
        }
    }
};

}  // namespace collectives::cuda
