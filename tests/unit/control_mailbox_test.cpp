// SPDX-License-Identifier: BSD-3-Clause
// Ranks that leave receive every control message that was ever for them, however late it comes.
#include <collectives/transport/wire/control_mailbox.hpp>
#include <collectives/transport/wire/transport.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace coll = collectives;
using coll::wire::control_message;

namespace {

using clock_type = coll::steady;

/// Words between threads, each on its way for up to half a millisecond. Those of a pair stay in
/// order.
struct post {
    struct letter {
        clock_type::time_point arrives;
        control_message text;
    };
    std::mutex mutex;
    std::vector<std::vector<std::deque<letter>>> to_from;
    std::atomic<int> data_arrived{0};  // messages

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

    coll::rank_t rank() const { return rank_; }
    int size() const { return static_cast<int>(post_->to_from.size()); }
    int processors() const { return 1; }
    std::uint64_t job() const { return 7; }
    std::size_t largest_piece(std::size_t, bool) const { return 1; }
    handle send(std::byte const*, std::size_t, coll::rank_t, std::uint64_t) {
        buffered_ = true;
        return {};
    }
    handle receive(std::byte*, std::size_t, coll::rank_t, std::uint64_t) { return {}; }
    bool waits(coll::rank_t, std::uint64_t) { return false; }
    handle send_control(std::byte const* data, std::size_t bytes, coll::rank_t to) {
        CHECK(bytes == sizeof(control_message));
        auto& l = outbox_.emplace_back(to, control_message{}).second;
        std::memcpy(&l, data, bytes);
        return {nullptr, ++posted_};
    }
    handle receive_control(std::byte* data, std::size_t) { return {data}; }
    bool test(handle& h, coll::wire::arrival& in) {
        if (h.place == nullptr) { return h.number + outbox_.size() <= posted_; }
        std::lock_guard const lock(post_->mutex);
        for (auto& from : post_->to_from[static_cast<std::size_t>(rank_)]) {
            if (from.empty() || from.front().arrives > clock_type::now()) { continue; }
            std::memcpy(h.place, &from.front().text, sizeof(control_message));
            from.pop_front();
            in.bytes = sizeof(control_message);
            h = {};
            return true;
        }
        return false;
    }
    bool take_back(handle&, clock_type::time_point) {
        outbox_.clear();  // they are never sent
        return true;
    }
    bool progress() {
        if (std::exchange(buffered_, false)) { ++post_->data_arrived; }
        return false;
    }
    template <class Ready>
    void doze(Ready&&, std::chrono::nanoseconds) {}
    std::optional<coll::peer_exit> gone(coll::rank_t) const { return {}; }
    bool usable() const { return true; }
    bool can_reach(coll::rank_t) const { return true; }
    bool progress_control() {
        if (outbox_.empty()) { return false; }
        auto const& [to, text] = outbox_.front();
        auto const arrives = clock_type::now() + std::chrono::microseconds(any_() % 500);
        std::lock_guard const lock(post_->mutex);
        post_->to_from[static_cast<std::size_t>(to)][static_cast<std::size_t>(rank_)].push_back(
            {arrives, text});
        outbox_.pop_front();
        return true;
    }
    bool drop_data() { return true; }
    bool close(bool) { return true; }

private:
    post* post_;
    int rank_;
    std::minstd_rand any_;
    bool buffered_ = false;
    std::size_t posted_ = 0;  // control messages
    std::deque<std::pair<coll::rank_t, control_message>> outbox_;
};

}  // namespace

TEST_CASE("a rank that has left has received all messages, answers to late questions too") {
    for (unsigned round = 0; round < 60; ++round) {
        auto const ranks = 1 + static_cast<int>(round % 5);
        post between(ranks);
        std::vector<coll::rank_t> all;
        for (int r = 0; r < ranks; ++r) { all.push_back(r); }
        std::atomic<int> left{0};
        std::vector<std::thread> threads;
        for (int me = 0; me < ranks; ++me) {
            threads.emplace_back([&, me] {
                auto const seed = 1 + round * 8 + static_cast<unsigned>(me);
                std::minstd_rand any(seed);
                post_link way(between, me, seed);
                coll::wire::control_mailbox<post_link> mailbox(way);
                auto board = mailbox.open(5, all, me);
                mailbox.close(board);
                for (auto turns = any() % 4; turns > 0; --turns) {
                    control_message question;
                    question.board = 5;
                    question.what = control_message::kind::watches;  // whoever leaves answers it
                    auto const to = static_cast<coll::rank_t>(any() % all.size());
                    if (to != me) { mailbox.tell(to, question); }
                    std::this_thread::sleep_for(std::chrono::microseconds(any() % 300));
                }
                if (mailbox.leave(clock_type::now() + std::chrono::seconds(20))) { ++left; }
                mailbox.end([](auto) {});
            });
        }
        for (auto& t : threads) { t.join(); }
        CHECK(left == ranks);
        for (std::size_t r = 0; r < all.size(); ++r) { CHECK(between.left_for(r) == 0); }
    }
}

TEST_CASE("a rank that leaves sends on what its library has buffered") {
    post between(2);
    std::array<bool, 2> left{};
    auto const run = [&](int me, auto const& before) {
        post_link way(between, me, 1);
        coll::wire::control_mailbox<post_link> mailbox(way);
        before(way);
        auto const patience = clock_type::now() + std::chrono::seconds(5);
        left[static_cast<std::size_t>(me)] = mailbox.leave(patience);
        mailbox.end([](auto) {});
    };
    std::thread sender([&] { run(0, [](post_link& way) { way.send(nullptr, 0, 1, 0); }); });
    run(1, [&](post_link&) {
        auto const patience = clock_type::now() + std::chrono::seconds(2);
        while (between.data_arrived == 0 && clock_type::now() < patience) {
            std::this_thread::yield();
        }
        CHECK(between.data_arrived == 1);
    });
    sender.join();
    CHECK(left == std::array{true, true});
}

namespace {

/// How long each of `size` ranks takes until its transport has ended, which it does after `last`.
/// One of them may be dead.
template <class Last>
std::vector<clock_type::duration> times_to_end(int size, Last const& last, int dead = -1) {
    post between(size);
    auto const began = clock_type::now();
    std::vector<clock_type::duration> times(static_cast<std::size_t>(size));
    std::vector<std::thread> threads;
    for (int me = 0; me < size; ++me) {
        if (me == dead) { continue; }
        threads.emplace_back([&, me] {
            try {
                coll::wire::transport<post_link> over(std::make_unique<post_link>(between, me, 1));
                last(me, over);
            } catch (std::runtime_error const&) {}
            times[static_cast<std::size_t>(me)] = clock_type::now() - began;
        });
    }
    for (auto& t : threads) { t.join(); }
    if (dead >= 0) { times.erase(times.begin() + dead); }
    return times;
}
/// How long it takes until all have.
template <class Last>
clock_type::duration time_to_end(int size, Last const& last, int dead = -1) {
    auto const times = times_to_end(size, last, dead);
    return *std::max_element(times.begin(), times.end());
}

}  // namespace

TEST_CASE("nobody waits for a rank that an exception ended, nor for one that gave up") {
    auto const time = time_to_end(5, [](int me, auto&) {
        if (me == 2) { throw std::runtime_error("it ends otherwise"); }
    });
    CHECK(time < std::chrono::seconds(5));  // a time-out is 60 s
}

TEST_CASE("nobody waits at the end for a rank that a time-out missed") {
    for (int const dead : {0, 2, 4}) {
        CAPTURE(dead);
        auto const time = time_to_end(
            5,
            [dead](int, auto& over) {
                auto board = over.first_board();
                board.fail(
                    coll::failure::make(coll::failure_kind::timeout, "late", -1, {&dead, 1}));
                over.close_board(board);
            },
            dead);
        CHECK(time < std::chrono::milliseconds(600));  // after a failure it may take a second
    }
}

TEST_CASE("survivors wait at the end for each other, and not for the rank that was left out") {
    constexpr std::chrono::milliseconds late{300};
    for (int const dead : {0, 3}) {
        CAPTURE(dead);
        auto const go_on = [&](int me, auto& over) {
            coll::progress_lock lock;
            coll::loss of{1, {}, {}, lock};
            for (int r = 0; r < 5; ++r) {
                if (r != dead) { of.survivors.push_back(r); }
            }
            auto broken = over.first_board();
            broken.fail(coll::failure::make(coll::failure_kind::aborted, "shrink"));
            auto rest = over.reopen(broken, of);
            over.close_board(broken);
            if (me == 1) { std::this_thread::sleep_for(late); }
            over.close_board(rest);
        };
        auto const times = times_to_end(5, go_on, dead);
        CHECK(*std::min_element(times.begin(), times.end()) >= late);
        CHECK(*std::max_element(times.begin(), times.end()) <
              late + std::chrono::milliseconds(500));
    }
}

TEST_CASE("nobody waits for a rank that ended a second after a failure") {
    for (int const failed : {0, 1}) {
        auto const time = time_to_end(3, [&](int me, auto& over) {
            if (me == failed) { return over.note_trouble(); }
            std::this_thread::sleep_for(std::chrono::seconds(2));
        });
        CHECK(time < std::chrono::seconds(5));
    }
}
