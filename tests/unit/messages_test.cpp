// SPDX-License-Identifier: BSD-3-Clause
// Messages of shared memory: a peer that stays away, or that never stops, holds up nobody else.
#include <doctest/doctest.h>

#include <unit/message_ranks.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <vector>

namespace coll = collectives;
namespace shared = collectives::shared;
using message_ranks::job_ranks, message_ranks::messages, message_ranks::from, message_ranks::to;

TEST_CASE("peers that accept a long message and then stay away hold up no other peer") {
    constexpr int size = 5, last = size - 1;
    job_ranks all(size);
    std::vector<std::byte> const sent(4 * 1024 * 1024, std::byte{7});
    std::vector<std::vector<std::byte>> got(size, std::vector<std::byte>(sent.size()));
    std::array<shared::request, size> sends, receives;
    for (int r = 1; r < size; ++r) {
        auto const i = static_cast<std::size_t>(r);
        all[0].isend(to(r, sent), sends[i]);
        all[r].irecv(from(0, got[i]), receives[i]);
        all[r].poll();  // all but the last do no more than that
    }
    for (int turn = 0; turn < 10'000 && !all[last].test(receives[last]); ++turn) {
        all[0].poll();
        all[last].poll();
    }
    CHECK(all[last].test(receives[last]));
    CHECK(got[last] == sent);
    CHECK_FALSE(all[1].test(receives[1]));
    for (int turn = 0; turn < 10'000; ++turn) {  // those that come back get theirs too
        for (int r = 0; r < size; ++r) { all[r].poll(); }
    }
    for (int r = 1; r < size; ++r) {
        CAPTURE(r);
        CHECK(all[r].test(receives[static_cast<std::size_t>(r)]));
        CHECK(got[static_cast<std::size_t>(r)] == sent);
    }
}

TEST_CASE(
    "a peer that sends as fast as its messages are taken does not keep a rank from all else") {
    job_ranks all(2);
    constexpr int most = 1'000;
    struct {  // each message that is taken makes the peer send the next one
        messages& peer;
        std::array<std::byte, 1> word{};
        std::deque<shared::request> sends{};
        int taken = 0;
        void send() { peer.isend(to(0, word), sends.emplace_back()); }
    } endless{all[1]};
    std::deque<shared::request> receives(most);
    for (auto& r : receives) {
        auto in = from(1, endless.word);
        in.take.context = &endless;
        in.take.take = [](void* context, std::size_t, std::byte const*, std::size_t) {
            auto& its = *static_cast<decltype(endless)*>(context);
            ++its.taken;
            its.send();
        };
        all[0].irecv(in, r);
    }
    endless.send();
    CHECK(all[0].poll());
    CHECK(endless.taken <= static_cast<int>(shared::ring_lines));
    while (all[0].poll() && endless.taken < most) { all[1].poll(); }
    CHECK(endless.taken == most);
}

TEST_CASE("no message overtakes one that waits for room in the ring") {
    job_ranks all(2);
    constexpr std::size_t many = shared::ring_lines + 32, later = 16;
    std::array<std::byte, many + later> sent, got{};
    for (std::size_t i = 0; i < sent.size(); ++i) { sent[i] = static_cast<std::byte>(i); }
    std::deque<shared::request> sends(sent.size()), receives(sent.size());
    auto const bytes = [](auto& of, std::size_t i) { return std::span(of).subspan(i, 1); };
    for (std::size_t i = 0; i < many; ++i) { all[0].isend(to(1, bytes(sent, i)), sends[i]); }
    CHECK_FALSE(all[0].test(sends[many - 1]));
    for (std::size_t i = 0; i < receives.size(); ++i) {  // rank 1 empties its ring
        all[1].irecv(from(0, bytes(got, i)), receives[i]);
    }
    for (std::size_t i = many; i < sent.size(); ++i) {
        all[0].isend(to(1, bytes(sent, i)), sends[i]);
    }
    while (!all[1].test(receives.back())) {
        all[0].poll();
        all[1].poll();
    }
    CHECK(got == sent);
}

TEST_CASE("messages wait in small slots for their receives, and hold up nobody else") {
    constexpr int size = 4, many = 2 * shared::small_slots;
    job_ranks all(size);
    std::vector<std::vector<std::byte>> sent, got;
    std::deque<shared::request> sends(many), receives(many);
    for (int i = 0; i < many; ++i) {
        auto const bytes = i % 2 == 0 ? shared::entry_payload + 1 : shared::small_slot_bytes;
        sent.emplace_back(bytes, static_cast<std::byte>(i + 1));
        got.emplace_back(bytes);
    }
    auto const at = [](int i) { return static_cast<std::size_t>(i); };
    auto const send_all = [&] {
        int ended = 0;
        for (int i = 0; i < many; ++i) {
            all[0].isend(to(1, sent[at(i)]), sends[at(i)]);
            ended += all[0].test(sends[at(i)]) ? 1 : 0;
            (void)all[1].probe(0, 1);  // takes what nobody awaits
        }
        return ended;
    };
    // The sends that end use slots; one slot is left for each other peer. The rest are offered.
    CHECK(send_all() == shared::small_slots - 2);
    for (int r = 2; r < size; ++r) {
        shared::request send, receive;
        std::vector<std::byte> its(sent[1].size());
        all[0].isend(to(r, sent[1]), send);
        CHECK(all[0].test(send));
        all[r].irecv(from(0, its), receive);
        CHECK(all[r].test(receive));
        CHECK(its == sent[1]);
    }
    // A long message under another tag streams past them.
    std::vector<std::byte> const stream(1024 * 1024, std::byte{99});
    std::vector<std::byte> streamed(stream.size());
    shared::request send, receive;
    auto out = to(1, stream);
    auto in = from(0, streamed);
    out.tag = in.tag = 1;
    all[0].isend(out, send);
    all[1].irecv(in, receive);
    auto const move = [&](shared::request& until) {
        for (int turn = 0; turn < 1000 && !all[1].test(until); ++turn) {
            all[0].poll();
            all[1].poll();
        }
        CHECK(all[1].test(until));
    };
    move(receive);
    CHECK(streamed == stream);
    auto const receive_all = [&] {
        for (int i = 0; i < many; ++i) {
            CAPTURE(i);
            all[1].irecv(from(0, got[at(i)]), receives[at(i)]);
            move(receives[at(i)]);
            CHECK(got[at(i)] == sent[at(i)]);
        }
    };
    receive_all();
    CHECK(send_all() == shared::small_slots - 2);  // they are free again
    receive_all();
}

TEST_CASE("a message of the wrong size gives its slot back") {
    job_ranks all(2);
    std::vector<std::byte> const sent(2000);
    std::vector<std::byte> got(1999, std::byte{7});
    for (int i = 0; i < 2 * shared::small_slots; ++i) {
        shared::request send, receive;
        all[0].isend(to(1, sent), send);
        CHECK(all[0].test(send));
        all[1].irecv(from(0, got), receive);
        CHECK(all[1].test(receive));
        CHECK(receive.wrong());
        CHECK(receive.actual_bytes() == sent.size());
    }
    CHECK(got == std::vector(got.size(), std::byte{7}));
}

TEST_CASE("the kernel copies a long message from the sender's own memory, unless it is consumed") {
    job_ranks all(2);
    if (!all.opens_private_memory()) {
        MESSAGE("not run: here the kernel does not copy");
        return;
    }
    constexpr std::size_t bytes = 508 * 1024;  // more than one pass
    auto const what = coll::lending_case::of_message(bytes);
    REQUIRE(all.own.back().prefers_lent(1, what));  // without a measurement
    std::vector<std::byte> sent(bytes), got(bytes);
    for (std::size_t i = 0; i < bytes; ++i) { sent[i] = static_cast<std::byte>(i / 4096 + i); }
    auto const slots_read = [&] {  // of the sender
        int read = 0;
        for (int slot = 0; slot < shared::slots_per_rank; ++slot) {
            read += all.job.slot_ended(0, slot).load() != 0 ? 1 : 0;
        }
        return read;
    };
    shared::request send, receive;
    all[0].isend(to(1, sent), send);
    auto in = from(0, got);
    SUBCASE("it is copied") {
        all[1].irecv(in, receive);
        for (int turn = 0; turn < 10; ++turn) { all[1].poll(); }
        CHECK(got == sent);  // while the sender did nothing
        all[0].poll();
        CHECK(slots_read() == 0);
    }
    SUBCASE("it is consumed") {
        in.take.context = got.data();
        in.take.take = [](void* to, std::size_t at, std::byte const* data, std::size_t n) {
            std::copy_n(data, n, static_cast<std::byte*>(to) + at);
        };
        all[1].irecv(in, receive);
        for (int turn = 0; turn < 10; ++turn) { all[1].poll(); }
        CHECK(got != sent);  // it waits for the sender
        all[0].poll();
        for (int turn = 0; turn < 1000 && !all[1].test(receive); ++turn) {
            all[0].poll();
            all[1].poll();
        }
        CHECK(got == sent);
        CHECK(slots_read() > 0);
    }
    CHECK(all[0].test(send));
    CHECK(all[1].test(receive));
}
