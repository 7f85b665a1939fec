// SPDX-License-Identifier: BSD-3-Clause
// What the peers of a run of the direct executor tell on the board: how far they have come, and
// where what they have lies.
#pragma once

#include <collectives/executor/plan.hpp>
#include <collectives/executor/program.hpp>
#include <collectives/executor/run_book.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace collectives {

class run_peers {
public:
    run_peers() = default;
    run_peers(peer_memory& memory, shared::board& board, program& of, plan const& own, int slice,
              std::uint64_t run)
        : memory_(&memory), board_(&board), program_(&of), own_(&own), slice_(slice), run_(run) {}

    std::uint64_t counter(rank_t r) const {
        return lane(r).counter.load(std::memory_order_acquire);
    }
    std::uint64_t hash(rank_t r) const { return lane(r).hash; }
    memory_range const& around(rank_t r) const { return lane(r).around; }
    /// Of a peer that has come; or, where it has left again, of a later run.
    plan_variant variant(rank_t r) const {
        return plan_variant::of(lane(r).variant.load(std::memory_order_acquire));
    }
    std::byte* output(rank_t r) const { return at(r, {base::output, 0}); }
    /// What receive number `i` of this rank's plan reads.
    std::byte const* source(int i) const { return at(peer_of(i), remote(i)); }

    /// What receive number `i` reads is a copy that its peer has made for that.
    bool is_source_staged(int i) const {
        return is_staged(variant(peer_of(i)).how) && remote(i).where == base::scratch;
    }

private:
    rank_t peer_of(int i) const { return own_->receives[static_cast<std::size_t>(i)].peer; }
    place remote(int i) const {
        return program_->remote(slice_, variant(peer_of(i)))[static_cast<std::size_t>(i)];
    }
    shared::lane_line& lane(rank_t r) const { return board_->lane(r, run_); }
    std::byte* at(rank_t r, place p) const {
        return memory_->at(lane(r).bases[static_cast<std::size_t>(p.where)]) + p.offset;
    }

    peer_memory* memory_ = nullptr;
    shared::board* board_ = nullptr;
    program* program_ = nullptr;
    plan const* own_ = nullptr;
    int slice_ = 0;
    std::uint64_t run_ = 0;
};

}  // namespace collectives
