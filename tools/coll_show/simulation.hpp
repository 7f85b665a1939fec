// SPDX-License-Identifier: BSD-3-Clause
// Replays recorded schedules on sets of ranks: who holds whose contributions after each round.
#pragma once

#include "rank_set.hpp"

#include <collectives/schedule/schedule.hpp>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace coll_show {

namespace coll = collectives;

/// Chunks that travel from one rank to another in one round. `sent` differs from `received` only
/// in all_to_all, where the sender names blocks of its input and the receiver blocks of its output.
struct transfer {
    coll::rank_t from = 0;
    coll::rank_t to = 0;
    coll::chunk_range sent{};
    coll::chunk_range received{};
    bool adds = false;  ///< reduced into the receiver's value; otherwise copied over it
};

/// What one rank holds of one chunk.
struct cell {
    rank_set held;
    bool live = true;  ///< it will be read again, or is part of the result
};

/// The schedules of all ranks of one collective, replayed a round at a time.
class simulation {
public:
    /// `schedules[r]` is rank r's. Throws std::invalid_argument where a receive has no send.
    explicit simulation(std::vector<coll::schedule> const& schedules);

    int size() const { return size_; }
    int chunks() const { return chunks_; }
    int rounds() const { return static_cast<int>(transfers_.size()); }
    coll::collective what() const { return what_; }

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

    /// All contributions chunk `chunk` of rank `rank` can collect: what a full share is.
    rank_set whole(int rank, int chunk) const;
    /// Whether that chunk is part of what the collective promises that rank.
    bool promised(int rank, int chunk) const;
    /// Whether a cell holds every contribution it can collect.
    bool complete(int rank, int chunk) const { return at(rank, chunk).held == whole(rank, chunk); }
    /// Bytes of one chunk of a vector of `bytes`, cut as the executors cut it.
    std::size_t chunk_bytes(std::size_t bytes, int chunk) const {
        return coll::block(bytes, chunks_, chunk).size;
    }

private:
    struct use {
        int round;
        bool overwrites;  ///< copied over without being read; otherwise read
    };

    std::size_t index(int rank, int chunk) const {
        return static_cast<std::size_t>(rank) * static_cast<std::size_t>(chunks_) +
               static_cast<std::size_t>(chunk);
    }
    rank_set first_value(int rank, int chunk) const;
    void match(std::vector<coll::schedule> const& schedules);
    void note_uses();
    bool live_after(int round, int rank, int chunk) const;

    int size_ = 0;
    int chunks_ = 0;
    int round_ = -1;
    coll::collective what_{};
    coll::rank_t root_ = 0;
    std::vector<cell> cells_;
    std::vector<std::vector<use>> uses_;  ///< per cell, rounds ascending, reads first
    std::vector<std::vector<transfer>> transfers_;
    std::map<std::pair<int, int>, bool> changed_;
};

}  // namespace coll_show
