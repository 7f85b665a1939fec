// SPDX-License-Identifier: BSD-3-Clause
// Sinks between an algorithm and whoever asked for its steps: they shift rounds and rename chunks.
#pragma once

#include <collectives/schedule/step.hpp>

#include <vector>

namespace collectives::detail {

/// A range of `chunks` chunks as a range of `blocks` blocks: chunk c is block(blocks, chunks, c).
constexpr chunk_range regrouped(chunk_range range, int chunks, int blocks) {
    auto const start = [&](int c) {
        int const extra = blocks % chunks;
        return c * (blocks / chunks) + (c < extra ? c : extra);
    };
    int const last = range.first + range.count;
    int const end = last <= chunks ? start(last) : blocks + start(last - chunks);
    return {start(range.first), end - start(range.first)};
}

/// Keeps steps, or only counts rounds if there is nothing to keep them in.
struct recorder {
    std::vector<step>* out = nullptr;
    int rounds = 0;

    constexpr void operator()(step const& s) {
        if (s.round >= rounds) { rounds = s.round + 1; }
        if (out != nullptr) { out->push_back(s); }
    }
};

/// Hands steps on, some rounds later and, after `regroup`, with chunks renamed to blocks. It is one
/// type rather than a lambda per use, so that an algorithm is instantiated once per sink.
template <class Sink>
class placed {
public:
    constexpr placed(Sink& sink, int first_round) : sink_(&sink), first_round_(first_round) {}

    constexpr void regroup(int chunks, int blocks) {
        chunks_ = chunks;
        blocks_ = blocks;
    }

    constexpr void operator()(step s) const {
        s.round += first_round_;
        if (chunks_ != blocks_) {
            s.chunks = regrouped(s.chunks, chunks_, blocks_);
            if (s.chunks.count == 0) { return; }  // more chunks than blocks: both sides drop it
        }
        (*sink_)(s);
    }

private:
    Sink* sink_;
    int first_round_;
    int chunks_ = 1;
    int blocks_ = 1;
};

/// Hands on the steps of a smaller job as those of a group of ranks of this one: its rank r is rank
/// first_rank + r * stride, its chunk c the `width` chunks from first_chunk + c * width on. Its
/// ranges must not wrap around the end.
template <class Sink>
struct seated {
    Sink* sink;
    int first_round;
    rank_t first_rank;
    int stride;
    int first_chunk;
    int width;

    constexpr void operator()(step s) const {
        s.round += first_round;
        s.peer = first_rank + s.peer * stride;
        s.chunks = {first_chunk + s.chunks.first * width, s.chunks.count * width};
        (*sink)(s);
    }
};

}  // namespace collectives::detail
