// SPDX-License-Identifier: BSD-3-Clause
// The cost model: rounds, bytes and additions, counted from the steps, beside the lower bounds.
#pragma once

#include <collectives/core/lean_list.hpp>
#include <collectives/schedule/schedule.hpp>
#include <collectives/schedule/traffic.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace collectives::inline v0 {

namespace detail {

/// Bytes of a range of chunks, which may wrap around the end, of `bytes` cut into `chunks`.
constexpr std::uint64_t bytes_of(chunk_range range, int chunks, std::uint64_t bytes) {
    auto const start = [&](int c) { return c == chunks ? bytes : block(bytes, chunks, c).first; };
    int const last = range.first + range.count;
    return (last <= chunks ? start(last) : bytes + start(last - chunks)) - start(range.first);
}

/// With n bytes over P ranks: ranks that share the work evenly send n (P-1)/P (all_reduce: twice,
/// adding and spreading); the root of a broadcast must send n, a leaf of a reduce too, a leaf of a
/// gather its block, the root of a scatter all but its own (which may be the longest), rank 0 of a
/// scan all of n; the P - 1 additions of n bytes (P - 2 in an exscan) are shared by P ranks at
/// best.
constexpr cost::lower_bound bound_of(collective what, int size, std::uint64_t bytes) {
    if (size == 1) { return {}; }
    cost::lower_bound result{ceil_log2(size), 0, 0};
    auto const ranks = static_cast<std::uint64_t>(size);
    std::uint64_t const share = bytes - bytes / ranks;  // n (P-1)/P, rounded up
    if (reduces(what)) { result.reduced = share; }
    if (what == collective::exscan) { result.reduced = bytes - 2 * bytes / ranks; }
    switch (what) {
        case collective::all_reduce: result.sent = 2 * bytes - 2 * bytes / ranks; break;
        case collective::broadcast:
        case collective::reduce:
        case collective::scan:
        case collective::exscan: result.sent = bytes; break;
        case collective::gather: result.sent = bytes / ranks; break;
        case collective::scatter: result.sent = share - (bytes % ranks == 0 ? 0 : 1); break;
        default: result.sent = share;
    }
    return result;
}

/// Adds up schedules, one rank at a time.
class cost_counter {
public:
    constexpr cost_counter(schedule_shape const& shape, std::uint64_t bytes)
        : shape_(shape), bytes_(bytes), rounds_(static_cast<std::size_t>(shape.rounds)) {
        result_.rounds = shape.rounds;
        result_.bound = bound_of(shape.what, shape.size, bytes);
    }

    [[gnu::cold]] constexpr void add(lean_list<step> const& steps) {
        traffic all;
        traffic round;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            step const& s = steps[i];
            std::uint64_t const n = bytes_of(s.chunks, shape_.chunks, bytes_);
            (s.what == verb::send ? round.sent : round.received) += n;
            if (s.what == verb::recv_reduce) { round.reduced += n; }
            if (i + 1 == steps.size() || steps[i + 1].round != s.round) {
                auto& busiest = rounds_[static_cast<std::size_t>(s.round)];
                busiest.bytes = std::max(busiest.bytes, std::max(round.sent, round.received));
                busiest.reduced = std::max(busiest.reduced, round.reduced);
                all.sent += round.sent;
                all.received += round.received;
                all.reduced += round.reduced;
                round = {};
            }
        }
        result_.ranks.push_back(all);
    }

    constexpr cost result() && {
        for (traffic const& t : result_.ranks) {
            result_.busiest.sent = std::max(result_.busiest.sent, t.sent);
            result_.busiest.received = std::max(result_.busiest.received, t.received);
            result_.busiest.reduced = std::max(result_.busiest.reduced, t.reduced);
            result_.total += t.sent;
        }
        for (cost::path const& r : rounds_) {
            result_.critical.bytes += r.bytes;
            result_.critical.reduced += r.reduced;
        }
        auto const by = [](auto a, auto b) {
            return b == 0 ? 1.0 : static_cast<double>(a) / static_cast<double>(b);
        };
        result_.ratio = {by(result_.rounds, result_.bound.rounds),
                         by(result_.busiest.sent, result_.bound.sent),
                         by(result_.busiest.reduced, result_.bound.reduced)};
        return std::move(result_);
    }

private:
    schedule_shape shape_;
    std::uint64_t bytes_;
    lean_list<cost::path> rounds_;
    cost result_;
};

[[gnu::cold]] constexpr cost cost_of(step_source const& from, schedule_shape const& shape,
                                     std::uint64_t bytes) {
    cost_counter counter(shape, bytes);
    lean_list<step> steps;
    for (rank_t r = 0; r < shape.size; ++r) {
        steps.clear();
        append_steps(from, shape, r, steps);
        counter.add(steps);
    }
    return std::move(counter).result();
}

}  // namespace detail

/// The cost of an algorithm on `size` ranks, which it must fit; 0 <= root < size. `bytes` is one
/// vector of an all_reduce, broadcast or reduce, and all blocks together for the others (for
/// all_to_all the blocks of one rank's input), cut by `block`. Takes O(steps of all ranks) time,
/// and memory for the steps of one rank.
template <algorithm A>
constexpr cost cost_of(A a, int size, std::uint64_t bytes, collective what = collective::all_reduce,
                       rank_t root = 0) {
    auto const from = detail::source_of(a);
    return detail::cost_of(from, detail::schedule_shape_of(from, what, size, root), bytes);
}

/// The cost of the recorded schedules of all ranks, at least one, which belong together.
constexpr cost cost_of(std::span<schedule const> ranks, std::uint64_t bytes) {
    schedule const& first = ranks[0];
    detail::cost_counter counter(
        {first.what, first.size, first.root, first.chunks, 0, first.rounds}, bytes);
    for (schedule const& s : ranks) { counter.add(s.steps); }
    return std::move(counter).result();
}

}  // namespace collectives
