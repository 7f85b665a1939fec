// SPDX-License-Identifier: BSD-3-Clause
// Replays recorded schedules on sets of ranks.
#include "simulation.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <tuple>

namespace coll_show {

simulation::simulation(std::vector<coll::schedule> const& schedules) {
    auto const& first = schedules.at(0);
    size_ = first.size;
    chunks_ = first.chunks;
    what_ = first.what;
    root_ = first.root;
    int rounds = 0;
    for (auto const& s : schedules) {
        for (auto const& step : s.steps) { rounds = std::max(rounds, step.round + 1); }
    }
    transfers_.resize(static_cast<std::size_t>(rounds));
    match(schedules);
    note_uses();
    cells_.reserve(uses_.size());
    for (int r = 0; r < size_; ++r) {
        for (int c = 0; c < chunks_; ++c) {
            cells_.push_back({first_value(r, c), live_after(-1, r, c)});
        }
    }
}

void simulation::match(std::vector<coll::schedule> const& schedules) {
    // The k-th receive of a pair of ranks in a round takes the k-th send: messages never overtake.
    std::map<std::tuple<int, int, int>, std::deque<coll::chunk_range>> sent;
    for (auto const& s : schedules) {
        for (auto const& step : s.steps) {
            if (step.what != coll::verb::send) { continue; }
            sent[{step.round, s.rank, step.peer}].push_back(step.chunks);
        }
    }
    for (auto const& s : schedules) {
        for (auto const& step : s.steps) {
            if (step.what == coll::verb::send) { continue; }
            if (step.peer < 0 || step.peer >= size_) {
                throw std::invalid_argument(
                    fmt::format("rank {} waits in round {} for rank {}, but the ranks are 0 to {}",
                                s.rank, step.round, step.peer, size_ - 1));
            }
            auto& queue = sent[{step.round, step.peer, s.rank}];
            if (queue.empty()) {
                throw std::invalid_argument(
                    fmt::format("rank {} waits in round {} for rank {}, which sends it nothing",
                                s.rank, step.round, step.peer));
            }
            transfers_[static_cast<std::size_t>(step.round)].push_back(
                {step.peer, s.rank, queue.front(), step.chunks,
                 step.what == coll::verb::recv_reduce});
            queue.pop_front();
        }
    }
    for (auto& round : transfers_) {
        std::stable_sort(round.begin(), round.end(), [](auto const& a, auto const& b) {
            return std::tie(a.from, a.to) < std::tie(b.from, b.to);
        });
    }
}

void simulation::note_uses() {
    uses_.resize(static_cast<std::size_t>(size_) * static_cast<std::size_t>(chunks_));
    for (int r = 0; r < rounds(); ++r) {
        for (auto const& t : transfers(r)) {  // a round reads before it writes
            for (int i = 0; i < t.sent.count && what_ != coll::collective::all_to_all; ++i) {
                uses_[index(t.from, (t.sent.first + i) % chunks_)].push_back({r, false});
            }
        }
        for (auto const& t : transfers(r)) {
            for (int i = 0; i < t.received.count; ++i) {
                uses_[index(t.to, (t.received.first + i) % chunks_)].push_back({r, !t.adds});
            }
        }
    }
}

bool simulation::live_after(int round, int rank, int chunk) const {
    auto const& uses = uses_[index(rank, chunk)];
    auto const next = std::upper_bound(uses.begin(), uses.end(), round,
                                       [](int r, use const& u) { return r < u.round; });
    return next == uses.end() ? promised(rank, chunk) : !next->overwrites;
}

rank_set simulation::first_value(int rank, int chunk) const {
    using enum coll::collective;
    bool holds = true;
    switch (what_) {
        case broadcast:
        case scatter: holds = rank == root_; break;
        case all_gather:
        case gather:
        case all_to_all:
        case barrier: holds = rank == chunk; break;
        default: break;
    }
    return holds ? rank_set::of(size_, rank) : rank_set(size_);
}

rank_set simulation::whole(int rank, int chunk) const {
    using enum coll::collective;
    if (what_ == exscan && rank == 0) { return rank_set::of(size_, rank); }  // it gets no result
    if (coll::reduces(what_)) {
        return rank_set::first(size_, coll::reduced_ranks(what_, size_, rank));
    }
    return rank_set::of(size_, what_ == broadcast || what_ == scatter ? root_ : chunk);
}

bool simulation::promised(int rank, int chunk) const {
    using enum coll::collective;
    switch (what_) {
        case reduce:
        case gather: return rank == root_;
        case reduce_scatter:
        case scatter: return rank == chunk;
        case exscan: return rank != 0;
        default: return true;
    }
}

void simulation::advance() {
    ++round_;
    changed_.clear();
    std::map<std::pair<int, int>, rank_set> written;
    std::vector<std::pair<int, int>> touched;
    for (auto const& t : transfers(round_)) {
        for (int i = 0; i < t.received.count; ++i) {
            int const source = (t.sent.first + i) % chunks_;
            int const target = (t.received.first + i) % chunks_;
            std::pair const key{t.to, target};
            bool const moves_input = what_ == coll::collective::all_to_all;
            auto value = moves_input ? rank_set::of(size_, t.from) : at(t.from, source).held;
            if (t.adds) {
                auto const known = written.find(key);
                value.unite(known == written.end() ? at(t.to, target).held : known->second);
            }
            written.insert_or_assign(key, std::move(value));
            changed_.insert_or_assign(key, t.adds);
            if (!moves_input) { touched.emplace_back(t.from, source); }
        }
    }
    for (auto& [key, value] : written) {
        cells_[index(key.first, key.second)] = {std::move(value), true};
        touched.push_back(key);
    }
    for (auto const& [rank, chunk] : touched) {
        auto& cell = cells_[index(rank, chunk)];
        cell.live = cell.live && live_after(round_, rank, chunk);
    }
}

}  // namespace coll_show
