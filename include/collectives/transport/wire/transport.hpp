// SPDX-License-Identifier: BSD-3-Clause
// A transport over a link: messages in fragments, boards by control messages, and memory that
// outlives a failure.
#pragma once

#include <collectives/core/copy.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/progress_lock.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/transport/concepts.hpp>
#include <collectives/transport/wire/board.hpp>
#include <collectives/transport/wire/control_mailbox.hpp>
#include <collectives/transport/wire/grace.hpp>
#include <collectives/transport/wire/link.hpp>
#include <collectives/transport/wire/probes.hpp>
#include <collectives/transport/wire/request.hpp>

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace collectives::inline v0::wire {

/// Models collectives::transport.
template <link Link>
class transport {
public:
    using request = wire::request<Link>;
    using board = wire::board;
    static constexpr bool can_consume = false;

    /// The link must have reached all ranks.
    explicit transport(std::unique_ptr<Link> way) : link_(std::move(way)), control_(*link_) {}
    transport(transport const&) = delete;
    transport& operator=(transport const&) = delete;

    /// Collective if nothing has failed. While an exception passes, or once this rank has waited
    /// long enough for the others, it only tells them that it leaves.
    ~transport() {
        probes_.end(*link_, [this](auto memory) { this->keep_owned(std::move(memory)); });
        if (!link_->usable()) {
            abandon_all();
            return;
        }
        auto const unwinding = std::uncaught_exceptions() != 0;
        auto const all_is_well = !trouble_ && !unwinding;
        auto dropped = all_is_well;
        auto all_left = false;
        try {
            if (!all_is_well) { dropped = link_->drop_data(); }
            if (!unwinding) { all_left = control_.leave(patience()); }
        } catch (std::exception const&) {}
        try {
            if (!all_left) {  // so nobody waits for this rank
                unwinding ? control_.leave_by_exception() : control_.give_up();
                control_.flush(steady::now() + std::chrono::milliseconds(200));
            }
        } catch (std::exception const&) {}
        control_.end([this](auto memory) { this->keep_owned(std::move(memory)); });
        if (!link_->close(all_is_well && all_left) || !dropped) { abandon_all(); }
    }

    rank_t rank() const { return link_->rank(); }
    int size() const { return link_->size(); }
    /// Processors for all ranks of the job, as if each of its machines had as many per rank as the
    /// one that has fewest. The same on all ranks.
    int processors() const { return link_->processors(); }

    [[gnu::always_inline]] void isend(outgoing const& out, request& r) {
        r.reset(false);
        if (out.check != 0) { return send_in_frame(out, r); }
        send_fragments(out.data, out.bytes, out.size_agreed, out.to, out.tag, r);
    }
    [[gnu::always_inline]] void irecv(incoming const& in, request& r) {
        r.reset(true);
        r.in_ = {in.data, in.bytes, in.check};
        if (in.check != 0) { return receive_in_frame(in, r); }
        receive_fragments(in.data, in.bytes, in.size_agreed, in.from, in.tag, r);
    }
    bool test(request& r) {
        for (; r.tested_ < r.fragments_.size() && !r.wrong_; ++r.tested_) {
            arrival came;
            if (!link_->test(r.fragments_[r.tested_], came)) { return false; }
            if (r.receives_) { r.take_in(came); }
        }
        if (r.receives_ && r.actual_bytes_ != r.in_.bytes) { r.wrong_ = true; }
        return true;
    }
    /// The bytes of the next message with a `check` that waits here.
    std::optional<std::size_t> probe(rank_t from, std::uint64_t tag) {
        return probes_.probe(*link_, from, tag);
    }
    /// Takes a message back, if the library can. A message that has found its peer gets a moment to
    /// end. Afterwards nothing uses the caller's memory: if need be, this transport stops all data.
    /// MPI cannot promise that, and may use the memory until it is finalised; see `keep`.
    void cancel(request& r) {
        auto all_back = true;
        for (; r.tested_ < r.fragments_.size(); ++r.tested_) {
            trouble_ = true;
            auto const most = std::chrono::milliseconds(all_back_ ? 10 : 0);
            grace const time{steady::now() + most, lock_.get()};
            all_back = link_->take_back(r.fragments_[r.tested_], time) && all_back;
        }
        if (!all_back) {
            all_back_ = link_->drop_data();
            if (!all_back_ && r.frame_) { keep_owned(std::move(r.frame_)); }
        }
        r.fragments_.clear();
    }
    /// Takes over memory that messages which were cancelled may still use.
    void keep(shared_pointer<void const> memory) { kept_.push_back(std::move(memory)); }

    /// Moves the library along; true if anything moved.
    bool poll() {
        auto const moved = link_->progress();
        // Control messages are rare, so most polls for one find none.
        return (++polls_ % 16 == 0 && control_.receive()) || moved;
    }
    template <class Ready>
    void doze(Ready&& ready, std::chrono::nanoseconds time) {
        auto const ready_or_received = [&] {
            auto const received = receive_arrived();
            return ready() || received;
        };
        link_->doze(ready_or_received, time);
    }
    /// Receives the control messages that have come, unless it has done so in the last `pause`: a
    /// poll takes as long as a short call, and much longer where ranks share processors.
    void receive_control(std::chrono::nanoseconds pause = {}) {
        auto const now = steady::now();
        if (now - last_look_ < pause) { return; }
        last_look_ = now;
        last_tick_ = coarse_now();
        for (int turn = 0; turn < 1000 && link_->progress_control(); ++turn) {}
        receive_arrived();
    }
    /// Whether it has polled for control messages within the last few milliseconds. Takes a fourth
    /// of the time that a reading of the steady clock takes.
    bool has_just_looked() const { return coarse_now() == last_tick_; }
    /// Tells the peers what has failed on this rank.
    void tell_failures() {
        if (link_->usable()) { control_.tell_failures(); }
    }
    std::optional<peer_exit> gone(rank_t r) const {
        if (control_.has_left_by_exception(r)) { return peer_exit{}; }
        return link_->gone(r);
    }
    void note_trouble() { trouble_ = true; }
    /// Models uses_progress_lock.
    void use_lock(shared_pointer<progress_lock> of) { lock_ = std::move(of); }

    board first_board() {
        return control_.open(1, numbers_below(static_cast<std::size_t>(size())), rank());
    }
    template <class Share>
    board make_board(lean_vector<rank_t> group, rank_t rank_in_group, Share&& share) {
        auto const mine = static_cast<std::uint64_t>(rank() + 1) << 32 | ++boards_made_;
        auto const id = share(mine);
        return control_.open(id, std::move(group), rank_in_group);
    }
    /// Models `reopening`. Messages of the broken communicator have the tags of another generation
    /// (generation_bits), so they reach nobody.
    board reopen(board& broken, loss const& of) {
        auto const& all = of.survivors;
        for (auto const r : broken.state()->group()) {
            if (all.index_of(r) == all.size()) { control_.leave_out(r); }
        }
        return control_.open(mix(broken.state()->id(), hash_text("survivors")), all,
                             static_cast<rank_t>(all.index_of(rank())));
    }
    void close_board(board& b) {
        if (b.state() && b.stopped()) { trouble_ = true; }
        if (!link_->usable()) { return; }
        try {
            control_.close(b);
        } catch (std::exception const&) { trouble_ = true; }
    }

protected:
    Link& way() { return *link_; }
    progress_lock& lock() { return *lock_; }

private:
    /// The time of the system's last tick.
    static std::int64_t coarse_now() {
        timespec now{};
        ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
        return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
    }
    /// Until when this rank waits for the others at its end. If it ended at once after a failure,
    /// its report could be lost in a send buffer. Without a failure, the last message to a slow
    /// rank may still be buffered here.
    steady::time_point patience() const {
        auto const now = steady::now();
        if (trouble_) { return now + std::chrono::seconds(1); }
        return std::max(timeout().deadline(now), now + std::chrono::seconds(5));
    }
    /// Receives the control messages that have come, at most 1000: a rank may send without end.
    bool receive_arrived() {
        auto received = false;
        for (int n = 0; n < 1000 && control_.receive(); ++n) { received = true; }
        return received;
    }
    // By value, so that messages of calls, which have no check, stay in registers.
    [[gnu::noinline]] void send_in_frame(outgoing out, request& r) {
        r.frame_ = std::make_unique<frame>();
        auto& f = *r.frame_;
        f.check = out.check;
        f.bytes = out.bytes;
        auto const inside = out.bytes <= frame::most_inside;
        if (inside && out.bytes != 0) {
            host::copy_through_caches(f.inside.data(), out.data, out.bytes);
        }
        auto const* const data = reinterpret_cast<std::byte const*>(&f);
        r.make_room(1);
        r.fragments_.push_back(
            link_->send(data, frame::head + (inside ? out.bytes : 0), out.to, out.tag));
        if (!inside) { send_fragments(out.data, out.bytes, false, out.to, out.tag, r); }
    }
    [[gnu::noinline]] void receive_in_frame(incoming in, request& r) {
        r.make_room(1);
        if (auto probed = probes_.take(in.from, in.tag)) {
            r.take_over(std::move(*probed));
        } else {
            r.frame_ = std::make_unique<frame>();
            auto* const data = reinterpret_cast<std::byte*>(r.frame_.get());
            r.fragments_.push_back(link_->receive(data, sizeof(frame), in.from, in.tag));
        }
        if (in.bytes > frame::most_inside) {
            receive_fragments(in.data, in.bytes, false, in.from, in.tag, r);
        }
    }
    [[gnu::always_inline]] void send_fragments(std::byte const* data, std::size_t bytes,
                                               bool agreed, rank_t to, std::uint64_t tag,
                                               request& r) {
        in_fragments(
            bytes, agreed, r, [&](std::size_t first, std::size_t n) __attribute__((always_inline)) {
                return link_->send(data + first, n, to, tag);
            });
    }
    [[gnu::always_inline]] void receive_fragments(std::byte* data, std::size_t bytes, bool agreed,
                                                  rank_t from, std::uint64_t tag, request& r) {
        in_fragments(
            bytes, agreed, r, [&](std::size_t first, std::size_t n) __attribute__((always_inline)) {
                return link_->receive(data + first, n, from, tag);
            });
    }
    /// Posts a message fragment by fragment: post(offset, bytes) of each.
    template <class Post>
    [[gnu::always_inline]] void in_fragments(std::size_t bytes, bool agreed, request& r,
                                             Post const& post) {
        auto const most = link_->largest_fragment(bytes, agreed);
        r.make_room(bytes <= most ? 1 : bytes / most + 1);
        auto first = std::size_t{0};
        do {
            auto const n = std::min(most, bytes - first);
            r.fragments_.push_back(post(first, n));
            first += n;
        } while (first < bytes);
    }
    template <class Owner>
    void keep_owned(Owner memory) {
        keep(make_shared_object<Owner>(std::move(memory)));
    }
    /// For ever: the library may use the memory as long as the process lives. What looks for leaks
    /// finds it here.
    void abandon_all() {
        static std::mutex mutex;
        static auto& abandoned = *new lean_vector<shared_pointer<void const>>;
        std::lock_guard const lock(mutex);
        for (auto& memory : kept_) { abandoned.push_back(std::move(memory)); }
        abandoned.push_back(make_shared_object<std::unique_ptr<Link>>(std::move(link_)));
    }

    std::unique_ptr<Link> link_;
    shared_pointer<progress_lock> lock_ = make_shared_object<progress_lock>();
    control_mailbox<Link> control_;
    probes<Link> probes_;
    lean_vector<shared_pointer<void const>> kept_;
    bool trouble_ = false;
    bool all_back_ = true;  // no message that was cancelled is still under way
    unsigned polls_ = 0;
    steady::time_point last_look_{};  // for control messages
    std::int64_t last_tick_ = 0;      // the time of the tick before that look
    std::uint32_t boards_made_ = 0;
};

}  // namespace collectives::wire
