// SPDX-License-Identifier: BSD-3-Clause
// A rank whose messages nobody awaits gets room in the end.
#include <doctest/doctest.h>

#include <unit/message_ranks.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <new>
#include <vector>

namespace coll = collectives;
namespace shared = collectives::shared;
using message_ranks::job_ranks, message_ranks::from, message_ranks::to;

namespace {

/// Polls for so long that peers which find no room are helped.
void poll_for_long(message_ranks::messages& of) {
    for (int laps = 0; laps < 3; ++laps) {  // each waits, also where this thread had no core
        of.poll();
        auto const end = coll::steady::now() + shared::held_up_peers::patience;
        while (coll::steady::now() < end) { of.poll(); }
        of.poll();
    }
}

}  // namespace

TEST_CASE("messages that nobody awaits are taken if they hold up their sender") {
    job_ranks all(2);
    constexpr std::size_t many = 2 * shared::ring_lines;
    std::vector<std::array<std::byte, 1>> words(many);
    std::deque<shared::request> sends(many);
    for (std::size_t i = 0; i < many; ++i) {
        words[i][0] = static_cast<std::byte>(i);
        all[0].isend(to(1, words[i]), sends[i]);
    }
    CHECK_FALSE(all[0].test(sends.back()));
    for (int laps = 0; laps < 3; ++laps) {
        poll_for_long(all[1]);
        while (all[0].poll()) {}
    }
    for (auto& s : sends) { CHECK(all[0].test(s)); }
    for (auto const& word : words) {
        std::array<std::byte, 1> got{};
        shared::request receive;
        all[1].irecv(from(0, got), receive);
        CHECK(all[1].test(receive));
        CHECK(got == word);
    }
}

TEST_CASE("a peer whose message ends a pass makes nobody forget another that is held up") {
    job_ranks all(3);
    std::array<std::byte, 1> word{};
    std::array<std::array<shared::request, shared::ring_lines>, 2> sends;
    auto const send_many = [&](int r, auto& its) {
        for (auto& s : its) { all[r].isend(to(0, word), s); }
        CHECK_FALSE(all[r].test(its.back()));
    };
    shared::request receive;
    SUBCASE("it lies") {
        send_many(1, sends[0]);
        all.job.ring_between(1, 0).at(0).kind = static_cast<shared::entry_kind>(77);
    }
    SUBCASE("there is no memory for it") {
        auto in = from(1, word);
        in.take.take = [](auto*, auto, auto*, auto) { throw std::bad_alloc(); };
        all[0].irecv(in, receive);
        send_many(1, sends[0]);
    }
    send_many(2, sends[1]);
    CHECK_THROWS(poll_for_long(all[0]));
    poll_for_long(all[0]);  // the other one sleeps, and does not ask again
    while (all[2].poll()) {}
    CHECK(all[2].test(sends[1].back()));
}

TEST_CASE("a peer that is held up anew while it waits for room gets it") {
    job_ranks all(2);
    std::array<std::byte, 1> word{};
    std::array<shared::request, 2 * shared::ring_lines> sends;
    std::array<shared::request, 3 * shared::ring_lines / 4> receives;
    for (auto& s : sends) { all[1].isend(to(0, word), s); }
    all[0].poll();
    for (auto& r : receives) {
        all[0].irecv(from(1, word), r);
        CHECK(all[0].test(r));
    }
    while (all[1].poll()) {}
    CHECK_FALSE(all[1].test(sends.back()));  // now it sleeps, and does not ask again
    poll_for_long(all[0]);
    poll_for_long(all[0]);
    while (all[1].poll()) {}
    CHECK(all[1].test(sends.back()));
}

TEST_CASE("no thread of a rank that is about to help sleeps for long") {
    using namespace std::chrono_literals;
    job_ranks all(2);
    std::array<std::byte, 1> word{};
    std::array<shared::request, shared::ring_lines> sends;
    CHECK(all[0].held_up().longest_sleep(1s) == 1s);
    for (auto& s : sends) { all[1].isend(to(0, word), s); }
    auto& status = all.job.status(0);
    status.asleep.store(1);
    auto const rung = status.bell.load();
    all[0].poll();
    CHECK(status.bell.load() == rung + 1);
    CHECK(all[0].held_up().longest_sleep(1s) <= shared::held_up_peers::patience);
    CHECK(all[0].held_up().longest_sleep(1us) == 1us);
    poll_for_long(all[0]);
    CHECK(all[0].held_up().longest_sleep(1s) == 1s);
}
