// SPDX-License-Identifier: BSD-3-Clause
// A large message where the sender has it: in memory that the receiver reaches, or in the sender's
// own memory, from which the kernel copies it.
#pragma once

#include <collectives/core/lending_case.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/transport/concepts.hpp>
#include <collectives/transport/shared/request.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace collectives::inline v0::shared {

/// Says, as long as it lives, that this rank accesses a peer's memory.
class access {
public:
    explicit access(std::atomic<std::uint32_t>& inside) : inside_(inside) {
        inside_.store(1, std::memory_order_seq_cst);
    }
    access(access const&) = delete;
    access& operator=(access const&) = delete;
    ~access() { inside_.store(0, std::memory_order_seq_cst); }

private:
    std::atomic<std::uint32_t>& inside_;
};

template <class Memory>
class senders_memory {
public:
    using private_memory = typename Memory::unreached;

    senders_memory(Memory& reached, private_memory& unreached)
        : reached_(&reached), unreached_(&unreached) {}

    /// Where the receiver finds the bytes that this rank sends; 0: it does not, so they go through
    /// slots.
    std::uint64_t offer(request& r) {
        auto const& out = r.out_;
        auto const at = reached_->reach(out.data, out.bytes);
        if constexpr (!Memory::always_reachable) {
            if (at != 0) { return at; }
            begin(r);
            auto const what = lending_case::of_message(out.bytes);
            if (unreached_->prefers_lent(out.to, what) && unreached_->is_open()) {
                return lent | reinterpret_cast<std::uintptr_t>(out.data);
            }
        }
        return at;
    }
    /// Notes where a message lies that is pulled from this location. Returns false if it comes
    /// through slots: one that is lent does where the receiver takes bytes as they come. Throws
    /// transport_error for a location that is none.
    bool find_source(request& r, std::uint64_t location, std::size_t bytes) {
        if constexpr (!Memory::always_reachable) {
            auto const open = unreached_->is_open();  // if not yet, this rank tries
            auto const is_lent = open && (location & lent) != 0;
            if ((is_lent || location == 0) && !r.in_.take) { begin_reading(r, is_lent); }
            if (is_lent) {
                r.lent_at_ = r.in_.take ? 0 : location ^ lent;
                return r.lent_at_ != 0;
            }
        }
        if (location == 0) { return false; }
        r.source_ = reached_->at(location, bytes);
        return true;
    }
    /// The message has come, or has gone. When none of private memory is left under way, the time
    /// that each took to come is known.
    void end(request& r) {
        if constexpr (!Memory::always_reachable) {
            r.is_timed_ = false;
            if (--under_way_ != 0 || come_ == 0) { return; }
            unreached_->note_reading(lending_case::of_message(bytes_), how_,
                                     (steady::now() - since_) / std::exchange(come_, 0));
        }
    }
    void give_up(request& r) {
        how_ = reading::both;
        end(r);
    }
    /// Takes the next bytes of it, in one pass. Returns false if the kernel does not copy what is
    /// lent.
    bool pull(request& r) {
        auto const granule = std::max<std::size_t>(r.in_.granule, 1);
        auto const pass = std::max(pass_bytes / granule, std::size_t{1}) * granule;
        auto const bytes = std::min(pass, r.in_.bytes - r.moved_);
        auto const first = std::exchange(r.moved_, r.moved_ + bytes);
        if constexpr (!Memory::always_reachable) {
            if (r.lent_at_ != 0) {
                return unreached_->copy(r.in_.from, r.lent_at_ + first, r.in_.data + first, bytes);
            }
        }
        r.deliver(first, r.source_ + first, bytes);
        return true;
    }

private:
    void begin(request& r) {
        ++under_way_;
        r.is_timed_ = true;
    }
    /// Several messages at once are timed together, with those that this rank sends meanwhile: the
    /// time that it needs for these is part of what a way costs.
    void begin_reading(request& r, bool is_lent) {
        auto const how = is_lent ? reading::fetched : reading::staged;
        if (come_++ == 0) {
            since_ = steady::now();
            how_ = how;
            bytes_ = r.in_.bytes;
        }
        if (how != how_ || r.in_.bytes != bytes_) { how_ = reading::both; }
        begin(r);
    }

    static constexpr std::size_t pass_bytes = 256 * 1024;  // between two looks at the stop word

    Memory* reached_;
    private_memory* unreached_;
    // Of the messages of private memory, and of those that come to this rank:
    int under_way_ = 0, come_ = 0;
    reading how_{};          // `both` also if their sizes differ
    std::size_t bytes_ = 0;  // of the first one
    steady::time_point since_{};
};

}  // namespace collectives::shared
