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
#include <array>
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
    /// The bytes that lie in the ring.
    std::size_t payload() const { return kind == entry_kind::eager ? bytes : 0; }
    /// Whether what the entry says lies in the ring, or in a slot.
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

/// One rank's ends of the rings to and from all others. Each ring is first in, first out. A message
/// takes one line, two or 16. Positions count lines, and wrap without harm.
class rings {
public:
    rings(state const& job, rank_t me)
        : job_(job), me_(me), peers_(static_cast<std::size_t>(job.size())) {}

    /// The next entry to a peer, if the peer has emptied lines for it and for `payload` bytes.
    /// Throws transport_error if the peer says that it has emptied what was never filled.
    [[gnu::noinline]] ring_entry* free_entry(rank_t to, std::size_t payload = 0) {
        auto& its = ends(to);
        its.next = after(its.out, payload);
        return its.has_room() || has_emptied(to) ? &ring_to(to).at(its.out) : nullptr;
    }
    /// Gives a free entry, the bytes of an eager message written, to the peer. The peer must not
    /// take an older payload for the stamp of the next entry, so that place is emptied first. Not
    /// inlined, as it has many callers.
    [[gnu::noinline]] void hand_over(rank_t to, ring_entry& c, entry_header const& h) {
        auto& its = ends(to);
        for (auto at = its.out + 1; at != its.next; ++at) { its.holds_payload(at) = true; }
        if (auto& old = its.holds_payload(its.next); old) {
            ring_to(to).at(its.next).stamp().store(0, std::memory_order_relaxed);
            old = false;
        }
        c.kind = h.kind;
        c.tag = h.tag;
        c.check = h.check;
        c.bytes = h.bytes;
        if (h.kind != entry_kind::eager) {
            entry_reference const n{h.location, h.sender, h.receiver, h.offset};
            std::memcpy(c.first.data(), &n, sizeof n);
        }
        c.stamp().store(lap(its.out), std::memory_order_seq_cst);
        its.out = its.next;
        job_.ring(to);
    }
    /// Tells a peer that it holds up this rank (see held_up_peers). False: there is no room.
    [[gnu::cold, gnu::noinline]] bool ask_for_room(rank_t to) const {
        auto& holds_up = job_.status(to).holds_up;
        if (holds_up.load(std::memory_order_seq_cst) == 0) {
            holds_up.store(1, std::memory_order_seq_cst);
            job_.ring(to);
        }
        return false;
    }
    bool push(rank_t to, entry_header const& h) {
        auto* const c = free_entry(to, h.payload());
        if (c != nullptr) { hand_over(to, *c, h); }
        return c != nullptr;
    }

    /// The next entry from a peer, if the peer has filled it. The stamp is read in one order with
    /// `holds_up`: whoever clears that sees the messages of each peer that found it set.
    ring_entry* full_entry(rank_t from) {
        auto const position = ends(from).in;
        auto& c = ring_from(from).at(position);
        return c.stamp().load(std::memory_order_seq_cst) == lap(position) ? &c : nullptr;
    }
    /// Gives the oldest full entry back, of a message with `payload` bytes in the ring, and has the
    /// processor fetch the lines of the next message, which is mostly like the last. The sender
    /// learns of each half of the ring only, because a report takes as long as a message, and it
    /// waits only if it knows of no room.
    void hand_back(rank_t from, std::size_t payload) {
        auto& in = ends(from).in;
        auto const told = reports(from);
        in = after(in, payload);
        auto* const next = &ring_from(from).at(in);
        for (std::size_t i = 0; i <= lines_of(payload); ++i) { __builtin_prefetch(next + i); }
        if (reports(from) == told) { return; }
        ring_from(from).taken().store(in, std::memory_order_seq_cst);
        job_.ring(from);
    }
    /// How often `hand_back` has told a peer of room.
    std::uint64_t reports(rank_t from) const { return ends(from).in / (ring_lines / 2); }

private:
    struct both_ends {
        std::uint64_t out = 0, next = 0, taken = 0;  // filled, after that, and known to be taken
        std::uint64_t in = 0;
        std::array<bool, ring_lines> payloads{};  // lines that hold a part of one

        bool& holds_payload(std::uint64_t position) { return payloads[position % ring_lines]; }
        bool has_room() const { return next - taken <= ring_lines; }
    };

    /// The lines behind the entry that a payload takes.
    static std::uint64_t lines_of(std::size_t payload) {
        return payload <= sizeof(ring_entry::first) ? 0 : (payload + line - 1) / line;
    }
    /// The position after a message. A message starts only where the longest one fits before the
    /// end of the ring. A longer payload keeps its distance from the next message: where the
    /// processor fetches ahead, the copy of one would take the lines of the other from its sender.
    static std::uint64_t after(std::uint64_t position, std::size_t payload) {
        constexpr std::uint64_t longest = 1 + entry_payload / line;
        auto const lines = 1 + lines_of(payload);
        auto const next = position + (lines <= 2 ? lines : longest);
        auto const at = next % ring_lines;
        return at + longest <= ring_lines ? next : next - at + ring_lines;
    }
    /// The stamp of an entry: another one each time round, and never that of an empty one.
    static std::uint32_t lap(std::uint64_t position) {
        return static_cast<std::uint32_t>(position / ring_lines * 2 + 1);
    }
    message_ring& ring_to(rank_t r) const { return job_.ring_between(me_, r); }
    message_ring& ring_from(rank_t r) const { return job_.ring_between(r, me_); }
    both_ends& ends(rank_t r) { return peers_[static_cast<std::size_t>(r)]; }
    both_ends const& ends(rank_t r) const { return peers_[static_cast<std::size_t>(r)]; }

    /// Whether a peer has emptied room for the next entry, of which none was known. Else it is
    /// asked for that.
    [[gnu::cold, gnu::noinline]] bool has_emptied(rank_t to) {
        auto& its = ends(to);
        its.taken = ring_to(to).taken().load(std::memory_order_acquire);
        if (its.out - its.taken > ring_lines) { refuse_damage(to, " of the job"); }
        return its.has_room() || ask_for_room(to);
    }

    state job_;
    rank_t me_;
    lean_vector<both_ends> peers_;
};

/// One rank's slots of one size. Whoever has read a slot says so.
class slots {
public:
    [[gnu::cold]] slots(state const& job, rank_t me, int first, int count)
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
