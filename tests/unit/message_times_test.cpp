// SPDX-License-Identifier: BSD-3-Clause
// The times of messages of private memory, by which a rank chooses how they come.
#include <doctest/doctest.h>

#include <unit/message_ranks.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

namespace coll = collectives;
namespace shared = collectives::shared;
using message_ranks::job_ranks, message_ranks::from, message_ranks::to;

TEST_CASE("messages of private memory are timed, and tried both ways, but for unlike ones") {
    job_ranks all(2);
    if (!all.opens_private_memory()) {
        MESSAGE("not run: here the kernel does not copy");
        return;
    }
    constexpr std::size_t bytes = 100 * 1024;
    std::vector<std::byte> sent(2 * bytes), got(2 * bytes);
    for (std::size_t i = 0; i < sent.size(); ++i) { sent[i] = static_cast<std::byte>(i / 512 + i); }
    auto const lent = [&] {
        return all.own.back().prefers_lent(1, coll::lending_case::of_message(bytes));
    };
    // Two messages at once, of which the second is longer by `more` bytes. Says whether the
    // receiver tries the kernel within some calls.
    auto const is_tried = [&](std::size_t more, bool cancels) {
        bool tried = false;
        for (int call = 0; call < 20; ++call) {
            std::fill(got.begin(), got.end(), std::byte{0});
            shared::request send[2], receive[2], given_up;
            std::span const first(sent.data(), bytes), second(sent.data(), bytes + more);
            all[0].isend(to(1, first), send[0]);
            all[0].isend(to(1, second), send[1]);
            all[1].irecv(from(0, std::span(got.data(), bytes)), receive[0]);
            if (cancels) {
                all[1].irecv(from(0, std::span(got.data() + bytes, bytes + more)), given_up);
                all[1].cancel(given_up);
                all[0].cancel(send[1]);
            } else {
                all[1].irecv(from(0, std::span(got.data() + bytes - more, bytes + more)),
                             receive[1]);
            }
            auto const done = [&] {
                return all[1].test(receive[0]) && (cancels || all[1].test(receive[1]));
            };
            for (int turn = 0; turn < 1000 && !done(); ++turn) {
                all[1].poll();
                all[0].poll();
            }
            CHECK(done());
            CHECK(std::equal(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(bytes - more),
                             sent.begin()));
            for (int turn = 0; turn < 10; ++turn) { all[0].poll(), all[1].poll(); }
            tried = tried || lent();
        }
        return tried;
    };
    SUBCASE("alike") { CHECK(is_tried(0, false)); }
    SUBCASE("unlike") { CHECK_FALSE(is_tried(4096, false)); }
    SUBCASE("given up") { CHECK_FALSE(is_tried(0, true)); }
    SUBCASE("while one goes that nobody takes") {
        std::vector<std::byte> there(bytes);
        shared::request sends, receives;
        all[1].isend(to(0, std::span(sent.data(), bytes)), sends);
        CHECK(is_tried(0, false));  // it does not count
        all[0].irecv(from(1, there), receives);
        for (int turn = 0; turn < 1000 && !all[1].test(sends); ++turn) {
            all[0].poll(), all[1].poll();
        }
        CHECK(all[1].test(sends));
    }
}

TEST_CASE("what the kernel refuses comes through slots, and is not lent for long") {
    job_ranks all(2);
    if (!all.opens_private_memory()) {
        MESSAGE("not run: here the kernel does not copy");
        return;
    }
    auto const proof = all.job.status(0).proof_at.load();
    *reinterpret_cast<std::uint64_t*>(static_cast<std::uintptr_t>(proof)) += 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // now it is no peer's process
    constexpr std::size_t bytes = 4 * 1024 * 1024;  // another try through slots takes no longer
    std::vector<std::byte> const sent(bytes, std::byte{7});
    int lent = 0;
    for (int call = 0; call < 60; ++call) {
        auto const wanted = all.own.back().prefers_lent(1, coll::lending_case::of_message(bytes));
        lent += call >= 30 && wanted ? 1 : 0;
        std::vector<std::byte> got(bytes);
        shared::request send, receive;
        all[0].isend(to(1, sent), send);
        all[1].irecv(from(0, got), receive);
        for (int turn = 0; turn < 1000 && !(all[1].test(receive) && all[0].test(send)); ++turn) {
            all[1].poll();
            all[0].poll();
        }
        CHECK(got == sent);
    }
    CHECK(lent < 10);
}

TEST_CASE("what a rank sends while messages come counts for the time of these") {
    job_ranks all(2);
    if (!all.opens_private_memory()) {
        MESSAGE("not run: here the kernel does not copy");
        return;
    }
    constexpr std::size_t bytes = 100 * 1024;
    std::vector<std::byte> sent(bytes), got(bytes), back(bytes);
    auto const spin = [](std::chrono::microseconds time) {  // sleep would slow the next call down
        auto const until = std::chrono::steady_clock::now() + time;
        while (std::chrono::steady_clock::now() < until) {}
    };
    // Both ranks send. If rank 1's message comes the one way, it comes somewhat later; if it comes
    // the other way, rank 1's own message is taken much later.
    auto const is_lent_at_last = [&](bool late_if_lent) {
        int lent = 0;
        for (int call = 0; call < 60; ++call) {
            auto const wanted =
                all.own.back().prefers_lent(1, coll::lending_case::of_message(bytes));
            if (call >= 30) { lent += wanted ? 1 : 0; }
            shared::request sends[2], receives[2];
            all[1].isend(to(0, sent), sends[1]);
            all[0].isend(to(1, sent), sends[0]);
            all[1].irecv(from(0, got), receives[1]);
            if (wanted != late_if_lent) { spin(std::chrono::microseconds(500)); }
            auto const poll_until = [&](auto&& done) {
                for (int turn = 0; turn < 1000 && !done(); ++turn) {
                    all[1].poll();
                    all[0].poll();
                }
                CHECK(done());
            };
            poll_until([&] { return all[1].test(receives[1]); });
            if (wanted == late_if_lent) { spin(std::chrono::milliseconds(3)); }
            all[0].irecv(from(1, back), receives[0]);
            poll_until([&] { return all[0].test(receives[0]) && all[1].test(sends[1]); });
            poll_until([&] { return all[0].test(sends[0]); });
        }
        return lent > 15;
    };
    SUBCASE("lent is late") { CHECK_FALSE(is_lent_at_last(true)); }
    SUBCASE("staged is late") { CHECK(is_lent_at_last(false)); }
}
