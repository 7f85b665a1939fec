// SPDX-License-Identifier: BSD-3-Clause
// What the peers of a run in memory publish on the board: how far they have come, and where their
// values are.
#pragma once

#include <collectives/plan/plan.hpp>
#include <collectives/run/program.hpp>
#include <collectives/run/running_call.hpp>
#include <collectives/transport/any_transport.hpp>
#include <collectives/transport/shared/board.hpp>
#include <collectives/transport/shared/snapshot.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::detail {

/// A segment of a call in memory, and the number of its run.
struct memory_form {
    program* of = nullptr;
    ready_plan* own = nullptr;
    int segment = 0;
    std::uint64_t run = 0;
};

class memory_peers {
public:
    memory_peers() = default;
    /// `reads`: what notes how this rank's sources come, or null.
    memory_peers(peer_memory& memory, shared::board& board, memory_form const& form,
                 reading_time* reads)
        : memory_(&memory), board_(&board), form_(form), reads_(reads) {}

    std::uint64_t counter(rank_t r) const {
        return channel(r).counter.load(std::memory_order_acquire);
    }
    std::uint64_t hash(rank_t r) const { return channel(r).hash; }
    memory_range ring_of(rank_t r) const { return shared::snapshot(channel(r).ring); }
    /// The announcement of a peer that has come. If the peer has already left, it may be that of a
    /// later run. Throws transport_error for what is none.
    plans::announcement announced(rank_t r) const {
        auto const its =
            plans::announcement::of(channel(r).announced.load(std::memory_order_acquire));
        if (plans::backend_of(its.how) != plans::backend::memory) { shared::refuse_damage(r, ""); }
        return its;
    }
    /// The address of so many bytes of a peer's output. Throws transport_error if it has no such.
    std::byte* output(plans::place const& p, std::size_t bytes) const {
        return at(base_of(p.peer, p), p, bytes);
    }
    /// The address of source number `i` of this rank's plan, of so many bytes, which a peer offers.
    /// Throws like `output`. A source that the peer lends has no address: ask `lent_at` first.
    std::byte const* source(int i, std::size_t bytes) const {
        auto const& p = offered(i);
        return at(base_of(peer_of(i), p), p, bytes);
    }
    /// Where in the peer's own memory that source is, if the peer lends it; else 0.
    [[gnu::noinline]] std::uint64_t lent_at(int i) const {
        auto const& p = offered(i);
        auto const where = lent_place(base_of(peer_of(i), p), p);
        if (reads_ != nullptr) {
            reads_->lent = reads_->lent || where != 0;
            reads_->staged = reads_->staged || is_staged_copy(i);
        }
        return where;
    }
    /// Where in the peer's own memory a place of its output is, if the peer lends it; else 0.
    std::uint64_t lent_output(plans::place const& p) const {
        return lent_place(base_of(p.peer, p), p);
    }
    /// Whether that source is a copy that the peer staged for this run.
    bool is_staged_copy(int i) const {
        return plans::is_staged(announced(peer_of(i)).how) &&
               offered(i).where == plans::memory::scratch;
    }

private:
    rank_t peer_of(int i) const {
        return form_.own->steps.sources[static_cast<std::size_t>(i)].peer;
    }
    [[gnu::noinline]] plans::place const& offered(int i) const {
        auto const& all = form_.of->offered(*form_.own, form_.segment, announced(peer_of(i)));
        return all[static_cast<std::size_t>(i)];
    }
    static std::uint64_t lent_place(std::uint64_t base, plans::place const& p) {
        return (base & lent) != 0 ? (base ^ lent) + p.offset : 0;
    }
    shared::channel_line& channel(rank_t r) const { return board_->channel(r, form_.run); }
    std::uint64_t base_of(rank_t r, plans::place const& p) const {
        return shared::snapshot(channel(r).bases[static_cast<std::size_t>(p.where)]);
    }
    std::byte* at(std::uint64_t base, plans::place const& p, std::size_t bytes) const {
        return memory_->at(base, bytes == 0 ? 0 : p.offset + bytes) + p.offset;
    }

    peer_memory* memory_ = nullptr;
    shared::board* board_ = nullptr;
    memory_form form_;
    reading_time* reads_ = nullptr;
};

}  // namespace collectives::detail
