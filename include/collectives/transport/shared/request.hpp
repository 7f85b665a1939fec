// SPDX-License-Identifier: BSD-3-Clause
// A message under way, as the shared-memory transports know it.
#pragma once

#include <collectives/core/copy.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/transport/concepts.hpp>
#include <collectives/transport/shared/snapshot.hpp>
#include <collectives/transport/shared/state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::shared {

/// How senders_memory counts a message of private memory while it is under way.
enum class timing : std::uint8_t { none, sent, received };

enum class phase : std::uint8_t {
    idle,
    queued,         // send: its ring had no room
    offered,        // send: the peer knows of it, and reads it or asks for it
    streaming,      // send: the peer asked for it; it goes through slots
    posted,         // recv: nothing has come yet
    accepting,      // recv: the sender has yet to be told to stream
    receiving,      // recv: fragments come in
    pulling,        // recv: read from the sender's memory
    acknowledging,  // recv: the sender has yet to be told that it was read
    done
};

/// Stays where it is from isend or irecv until it tests true or is cancelled.
class request {
public:
    request() = default;
    request(request const&) = delete;
    request& operator=(request const&) = delete;

    /// The message that came is of another size or type.
    bool wrong() const { return wrong_; }
    /// The size and check of the message that came, where it was wrong.
    std::size_t actual_bytes() const { return actual_bytes_; }
    std::uint64_t actual_check() const { return actual_check_; }

private:
    template <class Memory>
    friend class messages;
    template <class Memory>
    friend class senders_memory;
    friend class request_numbers;

    void begin(rank_t peer) {
        peer_ = peer;
        moved_ = 0;
        lent_at_ = 0;
        timed_ = timing::none;
        wrong_ = false;
    }
    void note_wrong(std::size_t bytes, std::uint64_t check) {
        wrong_ = true;
        actual_bytes_ = bytes;
        actual_check_ = check;
    }
    /// Bytes of the message from `offset` on have come.
    void deliver(std::size_t offset, std::byte const* data, std::size_t bytes) {
        if (bytes == 0) { return; }
        if (in_.take) {
            in_.take.take(in_.take.context, offset, data, bytes);
        } else {
            host::copy_through_caches(in_.data + offset, data, bytes);
        }
    }

    /// The bytes of a send's next fragment: whole elements, if one fits a slot.
    std::size_t next_fragment() const {
        auto const granule = out_.granule - 1 < slot_bytes ? out_.granule : 1;  // 0 wraps
        return std::min(slot_bytes / granule * granule, out_.bytes - moved_);
    }
    /// Whether it goes on only if this rank polls it. Else the next message of the peer moves it.
    bool needs_polling() const {
        return phase_ != phase::done && phase_ != phase::offered && phase_ != phase::receiving;
    }

    phase phase_ = phase::idle;
    bool wrong_ = false;
    rank_t peer_ = 0;
    outgoing out_{};
    incoming in_{};
    std::size_t moved_ = 0;
    std::uint64_t mine_ = 0;             // number of this request, once a peer must name it
    std::uint64_t theirs_ = 0;           // number of the peer's request
    std::byte const* source_ = nullptr;  // where a pulled message lies
    std::uint64_t lent_at_ = 0;          // where in the sender's own memory, if it lends it; else 0
    timing timed_ = timing::none;
    std::size_t actual_bytes_ = 0;
    std::uint64_t actual_check_ = 0;
};

/// Throws transport_error unless what an entry of rank `from` says makes sense.
inline void require_sense(bool makes_sense, rank_t from) {
    if (!makes_sense) { refuse_damage(from, " of the job"); }
}

/// Numbers for requests that peers name; a number is never used twice, so that a late message to a
/// cancelled request finds nothing.
class request_numbers {
public:
    [[gnu::noinline]] std::uint64_t add(request& r) {
        std::size_t i = 0;
        while (i < entries_.size() && entries_[i].what != nullptr) { ++i; }
        if (i == entries_.size()) { entries_.emplace_back(); }
        entries_[i].what = &r;
        ++entries_[i].generation;
        ++in_use_;
        return (entries_[i].generation << 20) | i;
    }
    request* find(std::uint64_t number) const {
        auto const i = static_cast<std::size_t>(number & 0xfffff);
        return i < entries_.size() && entries_[i].generation == number >> 20 ? entries_[i].what
                                                                             : nullptr;
    }
    /// The same for a number that `peer` has sent. Throws transport_error unless the request is
    /// with that peer, and in that phase.
    request* find(std::uint64_t number, phase expected, rank_t peer) const {
        auto* const r = find(number);
        if (r == nullptr) { return nullptr; }  // it was cancelled
        auto const its_peer = expected == phase::offered ? r->out_.to : r->in_.from;
        require_sense(r->phase_ == expected && its_peer == peer, peer);
        return r;
    }
    void remove(std::uint64_t number) {
        if (find(number) == nullptr) { return; }
        entries_[number & 0xfffff].what = nullptr;
        --in_use_;
    }
    bool empty() const { return in_use_ == 0; }

private:
    struct entry {
        request* what = nullptr;
        std::uint64_t generation = 0;
    };
    lean_vector<entry> entries_;
    std::size_t in_use_ = 0;
};

}  // namespace collectives::shared
