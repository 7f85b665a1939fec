// SPDX-License-Identifier: BSD-3-Clause
// Replays recorded schedules on sets of ranks: who holds whose contributions after each round.
#pragma once

#include <collectives/schedule/drawing/rank_set.hpp>
#include <collectives/schedule/drawing/transfers.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace collectives::inline v0::drawing {

/// What one rank holds of one chunk.
struct cell {
    rank_set held;
    bool live = true;  ///< it will be read again, or is part of the result
};

/// The schedules of all ranks of one collective, replayed a round at a time.
class replay {
public:
    /// `ranks[r]` is rank r's. Throws error where a receive has no send or a send no receive.
    explicit replay(std::span<schedule const> ranks)
        : size_(ranks[0].size),
          chunks_(ranks[0].chunks),
          what_(ranks[0].what),
          root_(ranks[0].root),
          transfers_(transfers_of(ranks)) {
        note_uses();
        cells_.reserve(uses_.size());
        for (int r = 0; r < size_; ++r) {
            for (int c = 0; c < chunks_; ++c) {
                cells_.push_back({first_value(r, c), live_after(-1, r, c)});
            }
        }
    }

    int size() const { return size_; }
    int chunks() const { return chunks_; }
    int rounds() const { return static_cast<int>(transfers_.size()); }
    collective what() const { return what_; }

    /// The round that `advance` ran last; -1 before the first.
    int round() const { return round_; }
    /// Runs the next round. The cells it wrote are `changed()` afterwards.
    void advance();

    cell const& at(int rank, int chunk) const { return cells_[index(rank, chunk)]; }
    /// Transfers of one round, by sender, then receiver.
    std::vector<transfer> const& transfers(int round) const {
        return transfers_[static_cast<std::size_t>(round)];
    }
    /// {rank, chunk} written in the last round, and whether a reduction wrote it.
    std::map<std::pair<int, int>, bool> const& changed() const { return changed_; }

    /// All contributions that this chunk of this rank can collect.
    rank_set whole(int rank, int chunk) const {
        using enum collective;
        if (what_ == exscan && rank == 0) { return rank_set::of(size_, rank); }  // it gets nothing
        if (reduces(what_)) { return rank_set::first(size_, reduced_ranks(what_, size_, rank)); }
        return rank_set::of(size_, what_ == broadcast || what_ == scatter ? root_ : chunk);
    }
    /// Whether that chunk is part of what the collective promises that rank.
    bool promised(int rank, int chunk) const {
        return has(traits_of(what_).output, rank, root_, chunk);
    }
    /// Whether a cell holds every contribution it can collect.
    bool complete(int rank, int chunk) const { return at(rank, chunk).held == whole(rank, chunk); }

private:
    struct use {
        int round;
        bool overwrites;  ///< copied over without being read; otherwise read
    };

    std::size_t index(int rank, int chunk) const {
        return static_cast<std::size_t>(rank) * static_cast<std::size_t>(chunks_) +
               static_cast<std::size_t>(chunk);
    }
    rank_set first_value(int rank, int chunk) const {
        bool const moves_input = what_ == collective::all_to_all;  // the cells are of the output
        auto const holds = moves_input ? holding::own : traits_of(what_).input;
        return has(holds, rank, root_, chunk) ? rank_set::of(size_, rank) : rank_set(size_);
    }
    void note_uses();
    bool live_after(int round, int rank, int chunk) const {
        auto const& uses = uses_[index(rank, chunk)];
        auto const next = std::upper_bound(uses.begin(), uses.end(), round,
                                           [](int r, use const& u) { return r < u.round; });
        return next == uses.end() ? promised(rank, chunk) : !next->overwrites;
    }

    int size_;
    int chunks_;
    int round_ = -1;
    collective what_;
    rank_t root_;
    std::vector<cell> cells_;
    std::vector<std::vector<use>> uses_;  ///< per cell, rounds ascending, reads first
    std::vector<std::vector<transfer>> transfers_;
    std::map<std::pair<int, int>, bool> changed_;
};

inline void replay::note_uses() {
    uses_.resize(static_cast<std::size_t>(size_) * static_cast<std::size_t>(chunks_));
    for (int r = 0; r < rounds(); ++r) {
        for (auto const& t : transfers(r)) {  // a round reads before it writes
            for (int i = 0; i < t.sent.count && what_ != collective::all_to_all; ++i) {
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

inline void replay::advance() {
    ++round_;
    changed_.clear();
    std::map<std::pair<int, int>, rank_set> written;
    std::vector<std::pair<int, int>> touched;
    for (auto const& t : transfers(round_)) {
        for (int i = 0; i < t.received.count; ++i) {
            int const source = (t.sent.first + i) % chunks_;
            int const target = (t.received.first + i) % chunks_;
            std::pair const key{t.to, target};
            bool const moves_input = what_ == collective::all_to_all;
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

}  // namespace collectives
