// SPDX-License-Identifier: BSD-3-Clause
// What the peers of a run in memory publish on the board: how far they have come, and where their
// values are.
#pragma once

#include <collectives/plan/plan.hpp>
#include <collectives/run/program.hpp>
#include <collectives/transport/any_transport.hpp>
#include <collectives/transport/shared/board.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::detail {

class memory_peers {
public:
    memory_peers() = default;
    memory_peers(peer_memory& memory, shared::board& board, program& of, ready_plan& own,
                 int segment, std::uint64_t run)
        : memory_(&memory),
          board_(&board),
          program_(&of),
          own_(&own),
          segment_(segment),
          run_(run) {}

    std::uint64_t counter(rank_t r) const {
        return channel(r).counter.load(std::memory_order_acquire);
    }
    std::uint64_t hash(rank_t r) const { return channel(r).hash; }
    memory_range const& ring_of(rank_t r) const { return channel(r).ring; }
    /// The announcement of a peer that has come. If the peer has already left, it may be that of a
    /// later run.
    plans::announcement announced(rank_t r) const {
        return plans::announcement::of(channel(r).announced.load(std::memory_order_acquire));
    }
    /// The address of a place in a peer's output.
    std::byte* output(plans::place const& p) const { return at(p.peer, p); }
    /// The address of source number `i` of this rank's plan, which a peer offers.
    std::byte const* source(int i) const { return at(peer_of(i), offered(i)); }
    /// Whether that source is a copy that the peer staged for this run.
    bool is_staged_copy(int i) const {
        return plans::is_staged(announced(peer_of(i)).how) &&
               offered(i).where == plans::memory::scratch;
    }

private:
    rank_t peer_of(int i) const { return own_->steps.sources[static_cast<std::size_t>(i)].peer; }
    plans::place const& offered(int i) const {
        auto const& all = program_->offered(*own_, segment_, announced(peer_of(i)));
        return all[static_cast<std::size_t>(i)];
    }
    shared::channel_line& channel(rank_t r) const { return board_->channel(r, run_); }
    std::byte* at(rank_t r, plans::place const& p) const {
        return memory_->at(channel(r).bases[static_cast<std::size_t>(p.where)]) + p.offset;
    }

    peer_memory* memory_ = nullptr;
    shared::board* board_ = nullptr;
    program* program_ = nullptr;
    ready_plan* own_ = nullptr;
    int segment_ = 0;
    std::uint64_t run_ = 0;
};

}  // namespace collectives::detail
