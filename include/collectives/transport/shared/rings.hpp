// SPDX-License-Identifier: BSD-3-Clause
// The two ways bytes cross between ranks that cannot read each other's buffers: rings of cells
// between each pair, and slots that a sender fills and a receiver empties.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/transport/shared/snapshot.hpp>
#include <collectives/transport/shared/state.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace collectives::inline v0::shared {

/// What a cell says, taken out of it.
struct cell_header {
    cell_kind kind{};
    std::uint64_t tag = 0, check = 0, bytes = 0, location = 0, sender = 0, receiver = 0, offset = 0;

    static cell_header of(cell const& c) {
        return snapshot(cell_header{c.kind, c.tag, c.check, c.bytes, c.location, c.sender,
                                    c.receiver, c.offset});
    }
    /// Whether what the cell says lies in the cell, or in a slot.
    bool fits() const {
        return kind == cell_kind::eager      ? bytes <= cell_payload
               : kind == cell_kind::fragment ? location < slots_per_rank && bytes <= slot_bytes
                                             : kind <= cell_kind::acknowledge;
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
    lean_vector<std::uint64_t> next_out_, next_in_;
};

/// One rank's slots. The reader of a slot clears its flag.
class slots {
public:
    slots(state job, rank_t me)
        : job_(job), me_(me), held_by_(static_cast<std::size_t>(job.size())) {
        reader_.fill(nobody);
    }

    /// A free slot for `reader`. A reader that has one leaves one for each peer that has none,
    /// half of all at most: a reader that stays away must not hold up the others.
    std::optional<int> take(rank_t reader) {
        reclaim();
        auto& its = held_by_[static_cast<std::size_t>(reader)];
        auto const reserved = its == 0 ? 0 : std::min(without(), slots_per_rank / 2);
        if (free_ <= reserved) { return {}; }
        while (reader_[next_] != nobody) { next_ = (next_ + 1) % slots_per_rank; }
        job_.slot_used(me_, static_cast<int>(next_)).store(1, std::memory_order_relaxed);
        reader_[next_] = reader;
        ++its;
        --free_;
        return static_cast<int>(next_);
    }

private:
    static constexpr rank_t nobody = -1;

    /// Peers that read no slot.
    int without() const {
        return static_cast<int>(std::count(held_by_.begin(), held_by_.end(), 0)) - 1;
    }
    /// Notes the slots that are free again: those that were emptied, or whose reader has gone.
    void reclaim() {
        for (int k = 0; k < slots_per_rank; ++k) {
            auto& its_reader = reader_[static_cast<std::size_t>(k)];
            if (its_reader == nobody) { continue; }
            auto const& used = job_.slot_used(me_, k);
            if (used.load(std::memory_order_acquire) != 0 &&
                job_.status(its_reader).state.load(std::memory_order_acquire) <= life::running) {
                continue;
            }
            --held_by_[static_cast<std::size_t>(its_reader)];
            its_reader = nobody;
            ++free_;
        }
    }

    state job_;
    rank_t me_;
    int free_ = slots_per_rank;
    std::size_t next_ = 0;
    std::array<rank_t, slots_per_rank> reader_{};
    lean_vector<int> held_by_;  // slots that each peer reads
};

}  // namespace collectives::shared
