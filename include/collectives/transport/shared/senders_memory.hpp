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
#include <chrono>
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
            r.timed_ = timing::sent;
            ++sent_;
            auto const what = lending_case::of_message(out.bytes);
            if (unreached_->prefers_lent(out.to, what) && unreached_->is_open()) {
                return lent | reinterpret_cast<std::uintptr_t>(out.data);
            }
        }
        return at;
    }
    /// Notes where a message lies that is pulled from this location. Returns false if the message
    /// comes through slots, as a lent message does if the receiver takes its bytes as they come.
    /// Throws transport_error if the location is invalid.
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
    /// The message has come, or has gone.
    void end_timing(request& r) {
        if constexpr (!Memory::always_reachable) {
            auto const was_sent = std::exchange(r.timed_, timing::none) == timing::sent;
            --(was_sent ? sent_ : coming_);
            if (coming_ != 0) { return; }
            if (!was_sent) { took_ = steady::now() - since_; }
            if (sent_ == 0 && begun_ != 0) { note(was_sent ? steady::now() - since_ : took_); }
        }
    }
    void give_up(request& r) {
        how_ = reading::both;
        end_timing(r);
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
                auto const is_copied =
                    unreached_->copy(r.in_.from, r.lent_at_ + first, r.in_.data + first, bytes);
                refused_ = refused_ || !is_copied;
                return is_copied;
            }
        }
        r.deliver(first, r.source_ + first, bytes);
        return true;
    }

private:
    /// Messages that come at once are timed together, with what this rank sends meanwhile: the time
    /// that it needs for that is part of what a way costs. A message that nobody takes before the
    /// next ones come does not count.
    void begin_reading(request& r, bool is_lent) {
        auto const how = is_lent ? reading::fetched : reading::staged;
        if (coming_++ == 0) {
            if (begun_ != 0) { note(took_); }
            since_ = steady::now();
            how_ = how;
            bytes_ = r.in_.bytes;
        }
        ++begun_;
        if (how != how_ || r.in_.bytes != bytes_) { how_ = reading::both; }
        r.timed_ = timing::received;
    }
    void note(std::chrono::nanoseconds took) {
        auto const each = took / std::exchange(begun_, 0);
        unreached_->note_reading(lending_case::of_message(bytes_), how_,
                                 std::exchange(refused_, false) ? std::chrono::hours(1) : each);
    }

    static constexpr std::size_t pass_bytes = 256 * 1024;  // between two looks at the stop word

    Memory* reached_;
    private_memory* unreached_;
    // Of messages of private memory:
    int sent_ = 0, coming_ = 0;  // under way from this rank, and to it
    int begun_ = 0;              // to it, timed together
    reading how_{};              // `both` also if their sizes differ
    std::size_t bytes_ = 0;      // of the first one
    bool refused_ = false;       // the kernel has not copied one: counts as very slow
    steady::time_point since_{};
    std::chrono::nanoseconds took_{};
};

}  // namespace collectives::shared
