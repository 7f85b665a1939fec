// SPDX-License-Identifier: BSD-3-Clause
// Tagged messages through shared memory. Small ones travel in a cell of the ring between two ranks.
// Larger ones are offered first; once a receive matches, the receiver reads them where they lie if
// it can, else the sender streams them through its slots.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/transport/shared/inbox.hpp>
#include <collectives/transport/shared/request.hpp>
#include <collectives/transport/shared/rings.hpp>
#include <collectives/transport/shared/senders_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>

namespace collectives::inline v0::shared {

template <class Memory>
class messages {
public:
    static constexpr std::size_t pass_bytes = 256 * 1024;  // between two looks at the stop word

    messages(state job, Memory& memory, typename Memory::unreached& unreached, rank_t me)
        : job_(job),
          memory_(memory, unreached),
          me_(me),
          rings_(job, me),
          slots_(job, me),
          peers_(static_cast<std::size_t>(job.size())) {}

    void isend(outgoing const& out, request& r) {
        r.begin(out.to);
        r.out_ = out;
        auto& p = peer(out.to);
        if (out.to != me_ && p.queue.empty() && push(r)) { return; }
        p.queue.push_back(&r);
        r.at_ = phase::queued;
        ++queued_;
    }

    void irecv(incoming const& in, request& r) {
        r.begin(in.from);
        r.in_ = in;
        r.at_ = phase::posted;
        if (auto const early = peer(in.from).in.expect(r, in.tag)) {
            match(r, early->head, early->payload.data());
        }
    }

    /// The bytes of the next message that waits for a receive.
    auto probe(rank_t from, std::uint64_t tag) { return peer(from).in.bytes_of_next(tag); }
    /// Throws transport_error if the peer has written what makes no sense.
    bool test(request& r) {
        if (r.at_ == phase::done) { return true; }
        if (auto const& why = peer(r.peer_).refused) { std::rethrow_exception(why); }
        return false;
    }

    /// Forgets a request; what a peer still says of it finds nothing.
    [[gnu::cold]] void cancel(request& r) {
        if (r.at_ == phase::queued) {
            peer(r.out_.to).queue.erase_value(&r);
            --queued_;
        }
        if (r.at_ == phase::posted) { peer(r.in_.from).in.forget(r); }
        active_.erase_value(&r);
        numbers_.remove(r.mine_);
        r.at_ = phase::idle;
    }

    /// Moves what can be moved; true if anything did.
    bool poll() {
        bool moved = false;
        for (rank_t from = 0; from < job_.size(); ++from) {
            if (from != me_ && !peer(from).refused) { moved = drain(from) || moved; }
        }
        if (queued_ != 0) { moved = flush() || moved; }
        for (std::size_t i = 0; i < active_.size();) {
            auto& r = *active_[i];
            moved = advance(r) || moved;
            if (r.at_ == phase::done || r.at_ == phase::offered || r.at_ == phase::receiving) {
                active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
            } else {
                ++i;
            }
        }
        return moved;
    }

private:
    struct per_peer {
        lean_vector<request*> queue;
        inbox in;
        std::exception_ptr refused;  // why nothing that it writes is read any more
    };

    per_peer& peer(rank_t r) { return peers_[static_cast<std::size_t>(r)]; }

    /// Puts the first cell of a send into the ring, if there is room.
    bool push(request& r) {
        auto const& out = r.out_;
        auto* const c = rings_.free_cell(out.to);
        if (c == nullptr) { return false; }
        cell_header h{cell_kind::eager, out.tag, out.check, out.bytes, 0, 0, 0, 0};
        if (out.bytes <= cell_payload) {
            if (out.bytes != 0) { std::memcpy(c->payload.data(), out.data, out.bytes); }
            r.at_ = phase::done;
        } else {
            h.kind = cell_kind::offer;
            h.location = memory_.location_of(out);
            h.sender = r.mine_ = numbers_.add(r);
            r.at_ = phase::offered;
        }
        rings_.hand_over(out.to, *c, h);
        return true;
    }

    bool flush() {
        bool moved = false;
        for (rank_t to = 0; to < job_.size(); ++to) {
            auto& queue = peer(to).queue;
            while (!queue.empty() && (to == me_ ? to_self(*queue[0]) : push(*queue[0]))) {
                queue.erase(queue.begin());
                --queued_;
                moved = true;
            }
        }
        return moved;
    }

    /// A message to oneself is kept whole until its receive comes.
    bool to_self(request& r) {
        auto const& out = r.out_;
        cell_header const h{cell_kind::eager, out.tag, out.check, out.bytes, 0, 0, 0, 0};
        arrive(me_, h, out.data);
        r.at_ = phase::done;
        return true;
    }

    /// Takes what a ring holds, once round at most: a peer that fills it as fast must not keep this
    /// rank from all else.
    bool drain(rank_t from) {
        int taken = 0;
        while (auto* const c = taken < cells_per_ring ? rings_.full_cell(from) : nullptr) {
            auto const h = cell_header::of(*c);
            try {
                require_sense(h.fits(), from);
                arrive(from, h, c->payload.data());
            } catch (transport_error const&) {
                peer(from).refused = std::current_exception();
                throw;
            }
            rings_.hand_back(from, *c);
            ++taken;
        }
        return taken != 0;
    }

    void arrive(rank_t from, cell_header const& h, std::byte const* payload) {
        switch (h.kind) {
            case cell_kind::eager:
            case cell_kind::offer: {
                auto const bytes = h.kind == cell_kind::eager ? h.bytes : 0;
                if (auto* const r = peer(from).in.receiver(h, payload, bytes)) {
                    match(*r, h, payload);
                }
                return;
            }
            case cell_kind::accept:
                if (auto* const r = numbers_.find(h.sender, phase::offered, from)) {
                    r->theirs_ = h.receiver;
                    activate(*r, phase::streaming);
                }
                return;
            case cell_kind::fragment: return fragment(from, h);
            case cell_kind::acknowledge:
                if (auto* const r = numbers_.find(h.sender, phase::offered, from)) { finish(*r); }
                return;
        }
    }

    void match(request& r, cell_header const& h, std::byte const* payload) {
        r.theirs_ = h.sender;
        if (h.bytes != r.in_.bytes || h.check != r.in_.check) {
            r.wrong_ = true;
            r.actual_bytes_ = h.bytes;
            r.actual_check_ = h.check;
            if (h.kind == cell_kind::offer) { return activate(r, phase::acknowledging); }
            return finish(r);
        }
        if (h.kind == cell_kind::eager) {
            r.deliver(0, payload, h.bytes);
            return finish(r);
        }
        if (memory_.find_source(r, h.location, h.bytes)) { return activate(r, phase::pulling); }
        active_.push_back(&r);
        ask_for_slots(r);
    }
    void ask_for_slots(request& r) {
        r.mine_ = numbers_.add(r);
        r.at_ = phase::accepting;
    }
    void activate(request& r, phase at) {
        active_.push_back(&r);
        r.at_ = at;
    }
    void finish(request& r) {
        numbers_.remove(r.mine_);
        r.mine_ = 0;
        r.at_ = phase::done;
    }

    void fragment(rank_t from, cell_header const& h) {
        if (auto* const r = numbers_.find(h.receiver, phase::receiving, from)) {
            require_sense(h.offset == r->moved_ && h.bytes <= r->in_.bytes - r->moved_, from);
            r->deliver(h.offset, job_.slot(from, static_cast<int>(h.location)), h.bytes);
            r->moved_ += h.bytes;
            if (r->moved_ == r->in_.bytes) { finish(*r); }
        }
        job_.slot_used(from, static_cast<int>(h.location)).store(0, std::memory_order_seq_cst);
    }

    bool advance(request& r) {
        switch (r.at_) {
            case phase::accepting: {
                cell_header const h{
                    .kind = cell_kind::accept, .sender = r.theirs_, .receiver = r.mine_};
                if (!rings_.push(r.in_.from, h)) { return false; }
                r.at_ = phase::receiving;
                return true;
            }
            case phase::pulling: return pull(r);
            case phase::acknowledging: {
                cell_header const h{.kind = cell_kind::acknowledge, .sender = r.theirs_};
                if (!rings_.push(r.in_.from, h)) { return false; }
                finish(r);
                return true;
            }
            case phase::streaming: return stream(r);
            default: return false;
        }
    }

    /// One pass over the sender's memory, unless the operation has been stopped.
    bool pull(request& r) {
        access const here(job_.status(me_).inside);
        if (r.in_.stop != nullptr && r.in_.stop->load() != 0) { return false; }
        auto const granule = std::max<std::size_t>(r.in_.granule, 1);
        auto const pass = std::max(pass_bytes / granule, std::size_t{1}) * granule;
        auto const bytes = std::min(pass, r.in_.bytes - r.moved_);
        if (!memory_.pull(r, bytes)) {  // a peer that has ended will be told of
            r.moved_ = 0;
            ask_for_slots(r);
            return true;
        }
        r.moved_ += bytes;
        if (r.moved_ == r.in_.bytes) { r.at_ = phase::acknowledging; }
        return true;
    }

    /// Fills slots with the next fragments while there are slots and cells.
    bool stream(request& r) {
        auto const& out = r.out_;
        auto const granule = out.granule <= slot_bytes ? std::max<std::size_t>(out.granule, 1) : 1;
        bool moved = false;
        while (r.moved_ < out.bytes) {
            auto* const c = rings_.free_cell(out.to);
            auto const slot = c == nullptr ? std::nullopt : slots_.take(out.to);
            if (!slot) { return moved; }
            cell_header h{};
            h.kind = cell_kind::fragment;
            h.receiver = r.theirs_;
            h.location = static_cast<std::uint64_t>(*slot);
            h.offset = r.moved_;
            h.bytes = std::min(slot_bytes / granule * granule, out.bytes - r.moved_);
            host::copy_through_caches(job_.slot(me_, *slot), out.data + r.moved_, h.bytes);
            r.moved_ += h.bytes;
            rings_.hand_over(out.to, *c, h);
            moved = true;
        }
        finish(r);
        return true;
    }

    state job_;
    senders_memory<Memory> memory_;
    rank_t me_;
    rings rings_;
    slots slots_;
    lean_vector<per_peer> peers_;
    lean_vector<request*> active_;  // those that need polling
    request_numbers numbers_;
    std::size_t queued_ = 0;
};

}  // namespace collectives::shared
