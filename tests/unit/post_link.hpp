// SPDX-License-Identifier: BSD-3-Clause
// A link between threads whose control messages come late.
#pragma once

#include <collectives/core/timeout.hpp>
#include <collectives/transport/concepts.hpp>
#include <collectives/transport/wire/control_message.hpp>
#include <collectives/transport/wire/link.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace late_words {

/// Control messages between threads, each on its way for up to half a millisecond. Those of a pair
/// stay in order.
struct post {
    struct letter {
        collectives::steady::time_point arrives;
        collectives::wire::control_message text;
    };
    std::mutex mutex;
    std::vector<std::vector<std::deque<letter>>> to_from;
    std::atomic<int> data_arrived{0};  // messages
    std::atomic<int> freed{0};         // links
    int dead = -1;  // MPI may keep what this rank is told for ever, and never say that it is sent

    explicit post(int ranks)
        : to_from(static_cast<std::size_t>(ranks),
                  std::vector<std::deque<letter>>(static_cast<std::size_t>(ranks))) {}

    std::size_t left_for(std::size_t rank) const {
        std::size_t n = 0;
        for (auto const& from : to_from[rank]) { n += from.size(); }
        return n;
    }
};

/// Models wire::link. Control messages leave one at a time, when their sender makes progress. Data
/// are dropped, but counted: one message is buffered at a time, and arrives likewise.
class post_link {
public:
    struct handle {
        std::byte* place = nullptr;  // of a receive
        std::size_t number = 0;      // of a control message that was sent, from 1 on
    };

    post_link(post& through, int rank, unsigned seed) : post_(&through), rank_(rank), any_(seed) {}

    collectives::rank_t rank() const { return rank_; }
    int size() const { return static_cast<int>(post_->to_from.size()); }
    int processors() const { return 1; }
    std::uint64_t job() const { return 7; }
    std::size_t largest_fragment(std::size_t, bool) const { return 1; }
    handle send(std::byte const*, std::size_t, collectives::rank_t, std::uint64_t) {
        buffered_ = true;
        return {};
    }
    handle receive(std::byte*, std::size_t, collectives::rank_t, std::uint64_t) { return {}; }
    bool waits(collectives::rank_t, std::uint64_t) { return false; }
    handle send_control(std::byte const* data, std::size_t bytes, collectives::rank_t to) {
        CHECK(bytes == sizeof(collectives::wire::control_message));
        if (to == post_->dead) { return {nullptr, never}; }
        auto& l = outbox_.emplace_back(to, collectives::wire::control_message{}).second;
        std::memcpy(&l, data, bytes);
        return {nullptr, ++posted_};
    }
    handle receive_control(std::byte* data, std::size_t) { return {data}; }
    bool test(handle& h, collectives::wire::arrival& in) {
        if (h.place == nullptr) { return h.number + outbox_.size() <= posted_; }
        std::lock_guard const lock(post_->mutex);
        for (auto& from : post_->to_from[static_cast<std::size_t>(rank_)]) {
            if (from.empty() || from.front().arrives > collectives::steady::now()) { continue; }
            std::memcpy(h.place, &from.front().text, sizeof(collectives::wire::control_message));
            from.pop_front();
            in.bytes = sizeof(collectives::wire::control_message);
            h = {};
            return true;
        }
        return false;
    }
    bool take_back(handle&, collectives::wire::grace const&) {
        outbox_.clear();  // they are never sent
        return true;
    }
    bool progress() {
        if (std::exchange(buffered_, false)) { ++post_->data_arrived; }
        return false;
    }
    template <class Ready>
    void doze(Ready&&, std::chrono::nanoseconds) {}
    std::optional<collectives::peer_exit> gone(collectives::rank_t) const { return {}; }
    bool usable() const { return true; }
    bool can_reach(collectives::rank_t) const { return true; }
    bool notices_deaths() const { return false; }
    bool progress_control() {
        if (outbox_.empty()) { return false; }
        auto const& [to, text] = outbox_.front();
        auto const arrives = collectives::steady::now() + std::chrono::microseconds(any_() % 500);
        std::lock_guard const lock(post_->mutex);
        post_->to_from[static_cast<std::size_t>(to)][static_cast<std::size_t>(rank_)].push_back(
            {arrives, text});
        outbox_.pop_front();
        return true;
    }
    bool drop_data() { return true; }
    bool close(bool all_is_well) {
        if (all_is_well) { ++post_->freed; }
        return true;
    }

private:
    static constexpr std::size_t never = std::size_t{1} << 32;

    post* post_;
    int rank_;
    std::minstd_rand any_;
    bool buffered_ = false;
    std::size_t posted_ = 0;  // control messages
    std::deque<std::pair<collectives::rank_t, collectives::wire::control_message>> outbox_;
};

}  // namespace late_words
