// SPDX-License-Identifier: BSD-3-Clause
// The two ways bytes cross between ranks that cannot read each other's buffers: rings of entries
// between each pair, and slots that a sender fills and a receiver empties.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/store_probe.hpp>
#include <collectives/core/streaming_copy.hpp>
#include <collectives/transport/shared/snapshot.hpp>
#include <collectives/transport/shared/state.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace collectives::inline v0::shared {

/// What an entry says, taken out of it.
struct entry_header {
    entry_kind kind{};
    std::uint64_t tag = 0, check = 0, bytes = 0, location = 0, sender = 0, receiver = 0, offset = 0;

    static entry_header of(ring_entry const& c) {
        entry_reference n;  // which an eager message has not
        std::memcpy(&n, c.first.data(), sizeof n);
        return snapshot(entry_header{c.kind, c.tag, c.check, c.bytes, n.location, n.sender,
                                     n.receiver, n.offset});
    }
    /// Whether what the entry says lies in the entry, or in a slot.
    bool fits() const {
        auto const room = location < large_slots      ? slot_bytes
                          : location < slots_per_rank ? small_slot_bytes
                                                      : 0;
        return kind == entry_kind::eager ? bytes <= entry_payload
               : kind == entry_kind::slotted || kind == entry_kind::fragment
                   ? bytes != 0 && bytes <= room
                   : kind <= entry_kind::acknowledge;
    }
};

/// One rank's ends of the rings to and from all others. Each ring is first in, first out.
class rings {
public:
    rings(state job, rank_t me)
        : job_(job), me_(me), peers_(static_cast<std::size_t>(job.size())) {}

    /// The next entry to a peer, if the peer has emptied it. Throws transport_error if the peer
    /// says that it has emptied what was never filled.
    ring_entry* free_entry(rank_t to) {
        auto& its = peers_[static_cast<std::size_t>(to)];
        if (its.out - its.taken >= entries_per_ring && !has_emptied(to, its)) { return nullptr; }
        return &job_.entry_of(me_, to, its.out);
    }
    /// Gives a free entry, the bytes of an eager message written, to the peer. Many callers share
    /// one text of it.
    [[gnu::noinline]] void hand_over(rank_t to, ring_entry& c, entry_header const& h) {
        c.kind = h.kind;
        c.tag = h.tag;
        c.check = h.check;
        c.bytes = h.bytes;
        if (h.kind != entry_kind::eager) {
            entry_reference const n{h.location, h.sender, h.receiver, h.offset};
            std::memcpy(c.first.data(), &n, sizeof n);
        }
        c.stamp().store(lap(peers_[static_cast<std::size_t>(to)].out++), std::memory_order_seq_cst);
        job_.ring(to);
    }
    bool push(rank_t to, entry_header const& h) {
        auto* const c = free_entry(to);
        if (c != nullptr) { hand_over(to, *c, h); }
        return c != nullptr;
    }

    /// The next entry from a peer, if the peer has filled it.
    ring_entry* full_entry(rank_t from) {
        auto const position = peers_[static_cast<std::size_t>(from)].in;
        auto& c = job_.entry_of(from, me_, position);
        return c.stamp().load(std::memory_order_acquire) == lap(position) ? &c : nullptr;
    }
    /// Gives the oldest full entry back. The sender learns of every fourth only, because each
    /// report takes as long as a message, and it waits only if it knows of no free entry.
    void hand_back(rank_t from) {
        auto const taken = ++peers_[static_cast<std::size_t>(from)].in;
        if (taken % (entries_per_ring / 2) != 0) { return; }
        job_.taken(from, me_).store(taken, std::memory_order_seq_cst);
        job_.ring(from);
    }

private:
    /// Wraps without harm.
    static std::uint32_t lap(std::uint64_t position) {
        return static_cast<std::uint32_t>(position / entries_per_ring) + 1;
    }

    struct both_ways {
        std::uint64_t out = 0, taken = 0;  // entries filled, and those known to be taken
        std::uint64_t in = 0;
    };

    /// Whether a peer has emptied one of its entries, of which none was known to be free.
    [[gnu::cold, gnu::noinline]] bool has_emptied(rank_t to, both_ways& its) const {
        its.taken = job_.taken(me_, to).load(std::memory_order_acquire);
        if (its.out - its.taken > entries_per_ring) { refuse_damage(to, " of the job"); }
        return its.out - its.taken < entries_per_ring;
    }

    state job_;
    rank_t me_;
    lean_vector<both_ways> peers_;
};

/// One rank's slots of one size. Whoever has read a slot says so.
class slots {
public:
    slots(state job, rank_t me, int first, int count)
        : job_(job),
          me_(me),
          first_(first),
          free_(count),
          each_(static_cast<std::size_t>(count)),
          held_by_(static_cast<std::size_t>(job.size())) {}

    /// Takes a free slot for `reader` and notes it in `h`; null if there is none. A reader that has
    /// a slot leaves one for each peer that has none, at most half of all, so that a slow reader
    /// does not hold up the others.
    std::byte* take(rank_t reader, entry_header& h) {
        auto& its = held_by_[static_cast<std::size_t>(reader)];
        auto const lacks = [&] {
            auto const half = static_cast<int>(each_.size()) / 2;
            return free_ <= (its == 0 ? 0 : std::min(without(), half));
        };
        if (lacks()) {
            reclaim();
            if (lacks()) { return nullptr; }
        }
        while (each_[next_].reader != nobody) { next_ = (next_ + 1) % each_.size(); }
        auto& slot = each_[next_];
        slot.reader = reader;
        ++its;
        --free_;
        auto const number = first_ + static_cast<int>(next_);
        h.location = static_cast<std::uint64_t>(number);
        h.sender = ++slot.uses;
        return job_.slot(me_, number);
    }
    /// Copies a message into a slot that was taken. The last reader of its lines still has them in
    /// its cache: if that is far, the copy goes past the caches. Near readers and far ones share
    /// the measurement: the last few slots decide.
    void fill(std::byte* slot, std::byte const* data, std::size_t bytes) {
        host::copy(slot, data, bytes, watch_.best(slot, bytes));
    }

    /// The bytes of a message of rank `from` in its slot.
    static std::byte const* read(state const& job, rank_t from, entry_header const& h) {
        return job.slot(from, static_cast<int>(h.location));
    }
    /// Tells the sender that this has been read.
    static void end(state const& job, rank_t from, entry_header const& h) {
        job.slot_ended(from, static_cast<int>(h.location))
            .store(static_cast<std::uint32_t>(h.sender), std::memory_order_seq_cst);
        job.ring(from);
    }

private:
    static constexpr rank_t nobody = -1;

    /// Peers that read no slot.
    int without() const {
        return static_cast<int>(std::count(held_by_.begin(), held_by_.end(), 0)) - 1;
    }
    /// Notes the slots that are free again: those that were read, or whose reader has gone.
    [[gnu::cold]] void reclaim() {
        int number = first_;
        for (auto& slot : each_) {
            auto const& ended = job_.slot_ended(me_, number++);
            if (slot.reader == nobody) { continue; }
            if (ended.load(std::memory_order_acquire) != slot.uses &&
                job_.status(slot.reader).state.load(std::memory_order_acquire) <= life::running) {
                continue;
            }
            --held_by_[static_cast<std::size_t>(slot.reader)];
            slot.reader = nobody;
            ++free_;
        }
    }

    struct one_slot {
        rank_t reader = nobody;
        std::uint32_t uses = 0;
    };

    state job_;
    rank_t me_;
    int first_, free_;
    std::size_t next_ = 0;
    lean_vector<one_slot> each_;
    lean_vector<int> held_by_;  // slots that each peer reads
    detail::store_probe watch_;
};

}  // namespace collectives::shared
