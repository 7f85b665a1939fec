// SPDX-License-Identifier: BSD-3-Clause
// Ranks that leave receive every control message that was ever for them, however late it comes.
#include <collectives/transport/wire/control_mailbox.hpp>
#include <collectives/transport/wire/transport.hpp>

#include <unit/post_link.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace coll = collectives;
using coll::wire::control_message;
using late_words::post, late_words::post_link;
using clock_type = coll::steady;

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

/// How long each of the ranks takes until its transport has ended, which it does after `last`. One
/// of them may be dead.
template <class Last>
std::vector<clock_type::duration> times_to_end(post& between, Last const& last, int dead) {
    auto const size = static_cast<int>(between.to_from.size());
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
    post between(size);
    auto const times = times_to_end(between, last, dead);
    return *std::max_element(times.begin(), times.end());
}

}  // namespace

TEST_CASE("nobody waits for a rank that an exception ended, nor for one that gave up") {
    auto const time = time_to_end(5, [](int me, auto&) {
        if (me == 2) { throw std::runtime_error("it ends otherwise"); }
    });
    CHECK(time < std::chrono::seconds(5));  // a time-out is 60 s
}

namespace {

/// A rank's time runs out, and `dead` is missing.
auto time_out_on(int const& dead) {
    return [&dead](int, auto& over) {
        auto board = over.first_board();
        board.fail(coll::failure::make(coll::failure_kind::timeout, "late", -1, {&dead, 1}));
        over.close_board(board);
    };
}

}  // namespace

TEST_CASE("nobody waits at the end for a rank that a time-out missed") {
    for (int const dead : {0, 2, 4}) {
        CAPTURE(dead);
        auto const time = time_to_end(5, time_out_on(dead), dead);
        CHECK(time < std::chrono::milliseconds(600));  // after a failure it may take a second
    }
}

TEST_CASE("nobody waits at the end until a rank that a time-out missed has taken all messages") {
    for (int const dead : {0, 2}) {
        CAPTURE(dead);
        post between(5);
        between.dead = dead;
        auto const times = times_to_end(between, time_out_on(dead), dead);
        CHECK(*std::max_element(times.begin(), times.end()) < std::chrono::milliseconds(150));
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
        post between(5);
        auto const times = times_to_end(between, go_on, dead);
        CHECK(*std::min_element(times.begin(), times.end()) >= late);
        CHECK(*std::max_element(times.begin(), times.end()) <
              late + std::chrono::milliseconds(500));
    }
}

TEST_CASE("after a time-out in some of the ranks the links are freed by all or by none") {
    constexpr int late = 2;  // it lives
    for (auto const shrinks : {false, true}) {
        CAPTURE(shrinks);
        auto const go_on = [&](int me, auto& over) {
            if (me > late) { return; }  // no trouble here
            auto board = over.make_board({0, 1, late}, me, [](auto) { return std::uint64_t{77}; });
            if (me == late) {
                std::this_thread::sleep_for(std::chrono::milliseconds(300));
            } else {
                auto const kind = coll::failure_kind::timeout;
                board.fail(coll::failure::make(kind, "late", -1, {&late, 1}));
            }
            typename std::decay_t<decltype(over)>::board rest;
            coll::progress_lock lock;
            if (shrinks && me != late) { rest = over.reopen(board, {1, {0, 1}, {}, lock}); }
            over.close_board(board);
            over.close_board(rest);
        };
        post between(5);
        static_cast<void>(times_to_end(between, go_on, -1));
        CHECK((between.freed == 0 || between.freed == 5));
    }
}

TEST_CASE("ranks that know of no failure do not wait for a first rank that is dead") {
    static constexpr int dead = 0;
    auto const time = time_to_end(
        5,
        [](int me, auto& over) {
            if (me > 2) { return; }
            auto board = over.make_board({0, 1, 2}, me, [](auto) { return std::uint64_t{77}; });
            board.fail(coll::failure::make(coll::failure_kind::timeout, "late", -1, {&dead, 1}));
            over.close_board(board);
        },
        dead);
    CHECK(time < std::chrono::milliseconds(600));  // a time-out is 60 s
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

TEST_CASE("a rank that has just polled need not poll again, unless it asks for all there are") {
    post between(1);
    coll::wire::transport<post_link> over(std::make_unique<post_link>(between, 0, 1));
    auto const post_message = [&] {
        control_message message;
        message.board = 99;
        message.what = control_message::kind::answers;
        message.sender = 0;
        message.job = 7;
        between.to_from[0][0].push_back({clock_type::now(), message});
    };
    auto skipped = false;
    for (int turn = 0; turn < 1000 && !skipped; ++turn) {  // it may be held up between the two
        over.receive_control();
        post_message();
        over.receive_control(std::chrono::microseconds(20));
        skipped = between.left_for(0) == 1;
        over.receive_control();
        REQUIRE(between.left_for(0) == 0);
    }
    CHECK(skipped);
}
