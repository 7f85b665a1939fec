// SPDX-License-Identifier: BSD-3-Clause
// The sink that the library hands to algorithms. It is one type, so that each algorithm is compiled
// once; therefore it shifts rounds and renames ranks and chunks itself.
#pragma once

#include <collectives/core/lean_list.hpp>
#include <collectives/schedule/step.hpp>

#include <type_traits>

namespace collectives::inline v0::detail {

/// A range of `chunks` chunks as a range of `blocks` blocks: chunk c is block(blocks, chunks, c).
[[gnu::cold]] constexpr chunk_range regrouped(chunk_range range, int chunks, int blocks) {
    auto const start = [&](int c) {
        int const extra = blocks % chunks;
        return c * (blocks / chunks) + (c < extra ? c : extra);
    };
    int const last = range.first + range.count;
    int const end = last <= chunks ? start(last) : blocks + start(last - chunks);
    return {start(range.first), end - start(range.first)};
}

/// Places a smaller job in this one: its rank r is rank first_rank + r * stride, and its chunk c is
/// the `width` chunks from first_chunk + c * width on. Its ranges of chunks must not wrap around
/// the end, unless the job has all chunks.
struct relabelling {
    int first_round = 0;
    rank_t first_rank = 0;
    int stride = 1;
    int first_chunk = 0;
    int width = 1;

    constexpr step operator()(step s) const {
        s.round += first_round;
        s.peer = first_rank + s.peer * stride;
        s.chunks = {first_chunk + s.chunks.first * width, s.chunks.count * width};
        return s;
    }
    /// The relabelling of a job inside a job that has this one.
    constexpr relabelling of(relabelling const& inner) const {
        return {first_round + inner.first_round, first_rank + inner.first_rank * stride,
                stride * inner.stride, first_chunk + inner.first_chunk * width,
                width * inner.width};
    }
};

/// The collected steps. Rounds are counted even if the steps are not kept.
struct recorder {
    lean_list<step>* out = nullptr;
    int rounds = 0;
};

/// Hands steps to a recorder, after it has relabelled them and then, after `regroup`, renamed
/// chunks to blocks.
class step_collector {
public:
    constexpr step_collector(recorder& to, relabelling at) : to_(&to), relabel_(at) {}

    constexpr void regroup(int chunks, int blocks) {
        chunks_ = chunks;
        blocks_ = blocks;
    }
    /// A collector for the steps of a smaller job.
    [[gnu::cold, gnu::noinline]] constexpr step_collector relabelled(
        relabelling const& inner) const {
        auto result = *this;
        result.relabel_ = relabel_.of(inner);
        return result;
    }

    /// From now on, rank r of the job is called r - 1.
    constexpr void leave_out_first_rank() { relabel_.first_rank += relabel_.stride; }

    /// Takes a step apart: algorithms emit in many places, and numbers travel in registers.
    [[gnu::always_inline]] constexpr void operator()(step const& s) const {
        add(s.round, s.what, s.peer, s.chunks.first, s.chunks.count);
    }

private:
    [[gnu::cold, gnu::noinline]] constexpr void add(int round, verb what, rank_t peer, int first,
                                                    int count) const {
        step s = relabel_({round, what, peer, {first, count}});
        if (chunks_ != blocks_) {
            s.chunks = regrouped(s.chunks, chunks_, blocks_);
            if (s.chunks.count == 0) { return; }  // more chunks than blocks: both sides drop it
        }
        if (s.round >= to_->rounds) { to_->rounds = s.round + 1; }
        if (to_->out != nullptr) { to_->out->push_back(s); }
    }

    recorder* to_;
    relabelling relabel_;
    int chunks_ = 1;
    int blocks_ = 1;
};

/// Wraps any other sink for the steps of a smaller job.
template <class Sink>
struct relabelled_sink {
    Sink* sink;
    relabelling at;
    constexpr void operator()(step const& s) const { (*sink)(at(s)); }
};

template <class Sink>
constexpr auto relabelled(Sink& sink, relabelling const& at) {
    if constexpr (std::is_same_v<std::remove_const_t<Sink>, step_collector>) {
        return sink.relabelled(at);
    } else {
        return relabelled_sink<Sink>{&sink, at};
    }
}

}  // namespace collectives::detail
