// SPDX-License-Identifier: BSD-3-Clause
// The two ways bytes cross between ranks that cannot read each other's buffers: rings of cells
// between each pair, and slots that a sender fills and a receiver empties.
#pragma once

#include <collectives/transport/shared/state.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace collectives::inline v0::shared {

/// What a cell says, taken out of it.
struct cell_header {
    cell_kind kind{};
    std::uint64_t tag = 0, check = 0, bytes = 0, location = 0, sender = 0, receiver = 0, offset = 0;

    static cell_header of(cell const& c) {
        return {c.kind, c.tag, c.check, c.bytes, c.location, c.sender, c.receiver, c.offset};
    }
};

/// One rank's ends of the rings to and from all others. Each ring is first in, first out.
class rings {
public:
    rings(state job, rank_t me)
        : job_(job),
          me_(me),
          next_out_(static_cast<std::size_t>(job.size())),
          next_in_(next_out_.size()) {}

    /// The next cell to a peer, if the peer has emptied it.
    cell* free_cell(rank_t to) {
        auto const position = next_out_[static_cast<std::size_t>(to)];
        auto& c = job_.cell_of(me_, to, position);
        return c.stamp.load(std::memory_order_acquire) == lap(position) ? &c : nullptr;
    }
    /// Gives a free cell, its payload written, to the peer.
    void hand_over(rank_t to, cell& c, cell_header const& h) {
        c.kind = h.kind;
        c.tag = h.tag;
        c.check = h.check;
        c.bytes = h.bytes;
        c.location = h.location;
        c.sender = h.sender;
        c.receiver = h.receiver;
        c.offset = h.offset;
        auto const position = next_out_[static_cast<std::size_t>(to)]++;
        c.stamp.store(lap(position) + 1, std::memory_order_seq_cst);
        job_.ring(to);
    }
    bool push(rank_t to, cell_header const& h) {
        auto* const c = free_cell(to);
        if (c != nullptr) { hand_over(to, *c, h); }
        return c != nullptr;
    }

    /// The next cell from a peer, if the peer has filled it.
    cell* full_cell(rank_t from) {
        auto const position = next_in_[static_cast<std::size_t>(from)];
        auto& c = job_.cell_of(from, me_, position);
        return c.stamp.load(std::memory_order_acquire) == lap(position) + 1 ? &c : nullptr;
    }
    void hand_back(rank_t from, cell& c) {
        auto const position = next_in_[static_cast<std::size_t>(from)]++;
        c.stamp.store(lap(position) + 2, std::memory_order_seq_cst);
        job_.ring(from);
    }

private:
    /// Twice the number of times the ring has been gone round; wraps without harm.
    static std::uint32_t lap(std::uint64_t position) {
        return static_cast<std::uint32_t>(position / cells_per_ring * 2);
    }

    state job_;
    rank_t me_;
    std::vector<std::uint64_t> next_out_, next_in_;
};

/// One rank's slots. The reader of a slot clears its flag.
class slots {
public:
    slots(state job, rank_t me) : job_(job), me_(me) {}

    /// A slot that nobody reads, for `reader`. Those whose reader has gone are free again.
    std::optional<int> take(rank_t reader) {
        for (int i = 0; i < slots_per_rank; ++i) {
            auto const k = (next_ + i) % slots_per_rank;
            auto& used = job_.slot_used(me_, k);
            auto& its_reader = reader_[static_cast<std::size_t>(k)];
            if (used.load(std::memory_order_acquire) != 0 &&
                job_.status(its_reader).state.load(std::memory_order_acquire) <= life::running) {
                continue;
            }
            used.store(1, std::memory_order_relaxed);
            its_reader = reader;
            next_ = k + 1;
            return k;
        }
        return {};
    }

private:
    state job_;
    rank_t me_;
    int next_ = 0;
    std::array<rank_t, slots_per_rank> reader_{};
};

}  // namespace collectives::shared
