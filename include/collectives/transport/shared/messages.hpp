// SPDX-License-Identifier: BSD-3-Clause
// Tagged messages through shared memory. Short ones travel in the ring between two ranks; those of
// up to 32 KiB in a small slot, if one is free. Others are offered: once a receive matches, the
// receiver reads them where they lie, or the sender streams them by its large slots.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/transport/shared/held_up_peers.hpp>
#include <collectives/transport/shared/inbox.hpp>
#include <collectives/transport/shared/request.hpp>
#include <collectives/transport/shared/rings.hpp>
#include <collectives/transport/shared/senders_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>

namespace collectives::inline v0::shared {

template <class Memory>
class messages {
public:
    [[gnu::cold]] messages(state const& job, Memory& memory, typename Memory::unreached& unreached,
                           rank_t me)
        : job_(job),
          memory_(memory, unreached),
          me_(me),
          rings_(job, me),
          held_up_(job, me, rings_),
          large_(job, me, 0, large_slots),
          small_(job, me, large_slots, small_slots),
          peers_(static_cast<std::size_t>(job.size())) {}

    void isend(outgoing const& out, request& r) {
        r.begin(out.to);
        auto& p = peer(out.to);
        if (out.to != me_ && p.queue.empty() && send(out, r)) { return; }
        r.out_ = out;
        p.queue.push_back(&r);
        r.phase_ = phase::queued;
        ++queued_;
    }

    void irecv(incoming const& in, request& r) {
        r.begin(in.from);
        r.in_ = in;
        r.phase_ = phase::posted;
        auto const early = peer(in.from).in.expect(r, in.tag);
        if (early) { match(r, early->head, early->payload.data()); }
        if (!early) { drain(in.from, false); }
    }

    /// The bytes of the next message that waits for a receive.
    auto probe(rank_t from, std::uint64_t tag) {
        drain(from, true);
        return peer(from).in.bytes_of_next(tag);
    }
    /// Throws transport_error if the peer has written what makes no sense.
    bool test(request& r) {
        if (r.phase_ == phase::done) { return true; }
        if (auto const& why = peer(r.peer_).refused) { std::rethrow_exception(why); }
        return false;
    }

    /// Forgets a request; what a peer still says of it finds nothing.
    [[gnu::cold]] void cancel(request& r) {
        if (r.phase_ == phase::queued) {
            peer(r.out_.to).queue.erase_value(&r);
            --queued_;
        }
        if (r.phase_ == phase::posted) { peer(r.in_.from).in.forget(r); }
        if (r.timed_ != timing::none) { memory_.give_up(r); }
        active_.erase_value(&r);
        numbers_.remove(r.mine_);
        r.phase_ = phase::idle;
    }

    /// Moves what can be moved; true if anything did. The messages of a peer from which nothing is
    /// awaited stay in its ring, where they cost nothing, unless a peer finds no room for long.
    bool poll() {
        held_up_.look();
        bool moved = false;
        for (rank_t r = 0; r < job_.size(); ++r) { moved = drain(r, held_up_.helps(r)) || moved; }
        held_up_.end();
        if (queued_ != 0) { moved = flush() || moved; }
        for (std::size_t i = 0; i < active_.size();) {
            auto& r = *active_[i];
            moved = advance(r) || moved;
            if (r.needs_polling()) {
                ++i;
            } else {
                active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
        return moved;
    }
    held_up_peers const& held_up() const { return held_up_; }

private:
    struct per_peer {
        lean_vector<request*> queue;
        inbox in;
        std::exception_ptr refused;  // why nothing that it writes is read any more
    };

    per_peer& peer(rank_t r) { return peers_[static_cast<std::size_t>(r)]; }

    /// Puts the first entry of a send into the ring, if there is room.
    bool send(outgoing const& out, request& r) {
        if (out.to == me_) [[unlikely]] { return to_self(out, r); }
        auto const eager = out.bytes <= entry_payload;
        auto* const c = rings_.free_entry(out.to, eager ? out.bytes : 0);
        if (c == nullptr) { return false; }
        entry_header h{entry_kind::eager, out.tag, out.check, out.bytes, 0, 0, 0, 0};
        if (eager) {
            if (out.bytes != 0) { std::memcpy(c->payload(out.bytes), out.data, out.bytes); }
            r.phase_ = phase::done;
        } else if (auto* const slot =
                       out.bytes <= small_slot_bytes ? small_.take(out.to, h) : nullptr) {
            h.kind = entry_kind::slotted;
            small_.fill(slot, out.data, out.bytes);
            r.phase_ = phase::done;
        } else {
            h.kind = entry_kind::offer;
            r.out_ = out;
            h.location = memory_.offer(r);
            h.sender = r.mine_ = numbers_.add(r);
            r.phase_ = phase::offered;
        }
        rings_.hand_over(out.to, *c, h);
        return true;
    }

    [[gnu::cold]] bool flush() {
        bool moved = false;
        for (rank_t to = 0; to < job_.size(); ++to) {
            auto& queue = peer(to).queue;
            while (!queue.empty() && send(queue[0]->out_, *queue[0])) {
                queue.erase(queue.begin());
                --queued_;
                moved = true;
            }
        }
        return moved;
    }

    /// A message to oneself is kept whole until its receive comes.
    [[gnu::cold]] bool to_self(outgoing const& out, request& r) {
        arrive(me_, {entry_kind::eager, out.tag, out.check, out.bytes, 0, 0, 0, 0}, out.data);
        r.phase_ = phase::done;
        return true;
    }

    /// Receives what is awaited from a peer (also an answer), or what comes `early` too: at most
    /// one lap of its ring, because the peer may fill it as fast.
    [[gnu::noinline]] bool drain(rank_t from, bool early) {
        auto const& its = peer(from);
        if (from == me_ || its.refused) { return false; }
        std::size_t taken = 0;
        while (taken < ring_lines && (early || its.in.waits() || !numbers_.empty()) &&
               receive(from)) {
            ++taken;
        }
        return taken != 0;
    }
    bool receive(rank_t from) {
        auto* const c = rings_.full_entry(from);
        if (c == nullptr) { return false; }
        auto const h = entry_header::of(*c);
        try {
            require_sense(h.fits(), from);
            arrive(from, h, c->payload(h.bytes));
        } catch (transport_error const&) {
            peer(from).refused = std::current_exception();
            throw;
        }
        rings_.hand_back(from, h.payload());
        return true;
    }

    void arrive(rank_t from, entry_header const& h, std::byte const* payload) {
        switch (h.kind) {
            case entry_kind::eager:
            case entry_kind::slotted:  // which stays in its slot until its receive comes
            case entry_kind::offer:
                if (auto* const r = peer(from).in.receiver(h, payload, h.payload())) {
                    match(*r, h, payload);
                }
                return;
            case entry_kind::accept:
                if (auto* const r = numbers_.find(h.sender, phase::offered, from)) {
                    r->theirs_ = h.receiver;
                    activate(*r, phase::streaming);
                }
                return;
            case entry_kind::fragment: return fragment(from, h);
            case entry_kind::acknowledge:
                if (auto* const r = numbers_.find(h.sender, phase::offered, from)) { finish(*r); }
                return;
        }
    }

    void match(request& r, entry_header const& h, std::byte const* payload) {
        r.theirs_ = h.sender;
        if (h.bytes != r.in_.bytes || h.check != r.in_.check) {
            r.note_wrong(h.bytes, h.check);
            if (h.kind == entry_kind::offer) { return activate(r, phase::acknowledging); }
        }
        if (h.kind != entry_kind::offer) {
            auto const slotted = h.kind == entry_kind::slotted;
            if (slotted) { payload = slots::read(job_, r.peer_, h); }
            if (!r.wrong_) { r.deliver(0, payload, h.bytes); }
            if (slotted) { slots::end(job_, r.peer_, h); }
            return finish(r);
        }
        if (memory_.find_source(r, h.location, h.bytes)) { return activate(r, phase::pulling); }
        r.mine_ = numbers_.add(r);
        activate(r, phase::accepting);
    }
    void activate(request& r, phase at) {
        active_.push_back(&r);
        r.phase_ = at;
    }
    void finish(request& r) {
        if (r.timed_ != timing::none) { memory_.end_timing(r); }
        numbers_.remove(r.mine_);
        r.mine_ = 0;
        r.phase_ = phase::done;
    }

    [[gnu::cold]] void fragment(rank_t from, entry_header const& h) {
        if (auto* const r = numbers_.find(h.receiver, phase::receiving, from)) {
            require_sense(h.offset == r->moved_ && h.bytes <= r->in_.bytes - r->moved_, from);
            r->deliver(h.offset, slots::read(job_, from, h), h.bytes);
            r->moved_ += h.bytes;
            if (r->moved_ == r->in_.bytes) { finish(*r); }
        }
        slots::end(job_, from, h);
    }

    [[gnu::cold]] bool advance(request& r) {
        if (r.phase_ == phase::pulling) { return pull(r); }
        if (r.phase_ == phase::streaming) { return stream(r); }
        auto const accepts = r.phase_ == phase::accepting;
        if (!accepts && r.phase_ != phase::acknowledging) { return false; }
        auto const kind = accepts ? entry_kind::accept : entry_kind::acknowledge;
        if (!rings_.push(r.in_.from, {.kind = kind, .sender = r.theirs_, .receiver = r.mine_})) {
            return false;
        }
        if (!accepts) { finish(r); }
        if (accepts) { r.phase_ = phase::receiving; }
        return true;
    }

    /// One pass over the sender's memory, unless the operation has been stopped.
    bool pull(request& r) {
        access const here(job_.status(me_).inside);
        if (r.in_.stop != nullptr && r.in_.stop->load() != 0) { return false; }
        if (!memory_.pull(r)) {  // a peer that has ended will be told of
            r.moved_ = 0;
            r.mine_ = numbers_.add(r);
            r.phase_ = phase::accepting;
            return true;
        }
        if (r.moved_ == r.in_.bytes) { r.phase_ = phase::acknowledging; }
        return true;
    }

    /// Fills slots with the next fragments while there are slots and entries.
    bool stream(request& r) {
        auto const& out = r.out_;
        auto const before = r.moved_;
        while (r.moved_ < out.bytes) {
            auto* const c = rings_.free_entry(out.to);
            entry_header h{.kind = entry_kind::fragment, .receiver = r.theirs_, .offset = r.moved_};
            auto* const slot = c == nullptr ? nullptr : large_.take(out.to, h);
            if (slot == nullptr) { return rings_.ask_for_room(out.to) || r.moved_ != before; }
            h.bytes = r.next_fragment();
            large_.fill(slot, out.data + r.moved_, h.bytes);
            r.moved_ += h.bytes;
            rings_.hand_over(out.to, *c, h);
        }
        finish(r);
        return true;
    }

    state job_;
    senders_memory<Memory> memory_;
    rank_t me_;
    rings rings_;
    held_up_peers held_up_;
    slots large_, small_;
    lean_vector<per_peer> peers_;
    lean_vector<request*> active_;  // those that need polling
    request_numbers numbers_;
    std::size_t queued_ = 0;
};

}  // namespace collectives::shared
