// SPDX-License-Identifier: BSD-3-Clause
// Messages over UCX: a channel for data and one for control messages, so that a rank can still say
// what went wrong after it has taken its memory back.
#pragma once

#include <collectives/core/fingerprint.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/without_cancellation.hpp>
#include <collectives/transport/ucx/calls.hpp>
#include <collectives/transport/ucx/channel.hpp>
#include <collectives/transport/wire/link.hpp>

#include <poll.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace collectives::inline v0::ucx {

/// Models wire::link.
class link {
public:
    struct handle {
        message under_way{};
        channel* over = nullptr;
    };

    link(rank_t rank, int size)
        : rank_(rank),
          size_(size),
          context_(detail::make_context(size)),
          data_(context_.get(), size),
          control_(context_.get(), size) {}
    link(link const&) = delete;
    link& operator=(link const&) = delete;

    /// What the others reach this rank by.
    std::array<lean_vector<std::byte>, 2> addresses() const {
        return {data_.address(), control_.address()};
    }
    void connect(rank_t to, std::span<std::byte const> data, std::span<std::byte const> control) {
        data_.connect(to, data);
        control_.connect(to, control);
        if (to == rank_) { return; }
        data_.greet(to, greeting_of(rank_));
        control_.greet(to, greeting_of(rank_));
    }
    void expect(rank_t from) {
        data_.expect(from, greeting_of(from));
        control_.expect(from, greeting_of(from));
    }
    /// Whether a rank that was expected has connected to this one.
    bool is_greeted_by(rank_t r) { return data_.is_greeted_by(r) && control_.is_greeted_by(r); }
    /// And whether this one has to it.
    bool knows(rank_t r) {
        return is_greeted_by(r) && data_.has_greeted(r) && control_.has_greeted(r);
    }
    /// From now on the rank counts as lost.
    void lose(rank_t r) {
        data_.lose(r);
        control_.lose(r);
    }
    void use_processors(int n) { processors_ = n; }

    rank_t rank() const { return rank_; }
    int size() const { return size_; }
    int processors() const { return processors_; }
    std::uint64_t job() const { return 0; }  // no worker is used twice
    std::size_t largest_fragment(std::size_t, bool) const { return std::size_t{1} << 40; }

    /// UCX then need not register the memory for each message. Without effect if no device needs
    /// it.
    void register_memory(void* p, std::size_t bytes) {
        if (bytes != 0) { registered_.emplace(p, detail::map_memory(context_.get(), p, bytes)); }
    }
    void deregister_memory(void* p) { registered_.erase(p); }

    handle send(std::byte const* data, std::size_t bytes, rank_t to, std::uint64_t tag) {
        return {data_.send(data, bytes, to, tag_from(rank_, tag)), &data_};
    }
    handle receive(std::byte* data, std::size_t bytes, rank_t from, std::uint64_t tag) {
        return {data_.receive(data, bytes, tag_from(from, tag)), &data_};
    }
    bool waits(rank_t from, std::uint64_t tag) { return data_.waits(tag_from(from, tag)); }
    handle send_control(std::byte const* data, std::size_t bytes, rank_t to) {
        return {control_.send(data, bytes, to, 0), &control_};
    }
    handle receive_control(std::byte* data, std::size_t bytes) {
        return {control_.receive(data, bytes, 0), &control_};
    }
    bool test(handle& h, wire::arrival& in) {
        return h.over == nullptr || h.over->test(h.under_way, in);
    }
    bool take_back(handle& h, wire::grace const& time) {
        return h.over == nullptr || h.over->take_back(h.under_way, time);
    }

    /// Control messages are rare, so most polls for one find none.
    bool progress() {
        auto const moved = data_.progress();
        return (++turns_ % 16 == 0 && control_.progress()) || moved;
    }
    bool progress_control() { return control_.progress(); }
    /// Sleeps on UCX's descriptors.
    template <class Ready>
    void doze(Ready&& ready, std::chrono::nanoseconds time) {
        // Peers that send as fast as this rank takes in would keep it here.
        for (int n = 0; n < 100 && (data_.progress() || control_.progress()); ++n) {}
        if (ready() || !data_.may_sleep() || !control_.may_sleep()) { return; }
        std::array<pollfd, 2> awaited{pollfd{data_.descriptor(), POLLIN, 0},
                                      pollfd{control_.descriptor(), POLLIN, 0}};
        auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
        timespec const most{seconds.count(), (time - seconds).count()};
        collectives::detail::without_cancellation const until_end;
        ::ppoll(awaited.data(), awaited.size(), &most, nullptr);
    }
    /// A rank that failed says why, and may have finished its part of the calls that the others are
    /// in. So it counts as lost only after a grace period. A rank that took its memory back has
    /// closed its data channel only, and is alive. A dead rank closes both channels, but UCX may
    /// notice one of them later.
    std::optional<peer_exit> gone(rank_t r) const {
        constexpr auto grace = std::chrono::milliseconds(50);
        if (control_.is_lost_since(r, grace)) { return peer_exit{.died = true}; }
        if (data_.is_lost_since(r, 5 * grace)) { return peer_exit{.lives = true}; }
        return {};
    }
    bool can_reach(rank_t r) const { return !control_.is_lost(r); }
    bool notices_deaths() const { return true; }
    bool usable() const { return true; }

    bool drop_data() {
        data_.close(true);
        return true;
    }
    bool close(bool all_is_well) {
        data_.close(!all_is_well);
        control_.close(!all_is_well);
        return true;
    }

private:
    /// UCX's tags do not tell who sends: that is hashed into them.
    static std::uint64_t tag_from(rank_t from, std::uint64_t tag) {
        return mix(tag, static_cast<std::uint64_t>(from));
    }
    static std::uint64_t greeting_of(rank_t r) { return tag_from(r, ~std::uint64_t{0}); }

    rank_t rank_;
    int size_;
    int processors_ = 1;
    unsigned turns_ = 0;
    detail::context_ptr context_;
    std::map<void*, detail::memory_ptr> registered_;
    channel data_, control_;
};

}  // namespace collectives::ucx
