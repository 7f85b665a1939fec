// SPDX-License-Identifier: BSD-3-Clause
// Messages of shared memory: a peer that stays away, or that never stops, holds up nobody else.
#include <collectives/transport/shared/messages.hpp>
#include <collectives/transport/shared/private_memory.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace coll = collectives;
namespace shared = collectives::shared;

namespace {

/// Memory that no peer reaches: long messages go through slots, unless the kernel copies them.
struct no_shared_memory {
    static constexpr bool always_reachable = false;
    using unreached = shared::private_memory;
    std::uint64_t reach(void const*, std::size_t) const { return 0; }
    std::byte* at(std::uint64_t, std::size_t) const { return nullptr; }
};
using messages = shared::messages<no_shared_memory>;

/// The ranks of a job, all in this thread.
struct job_ranks {
    explicit job_ranks(int size)
        : memory(static_cast<std::byte*>(
                     std::aligned_alloc(4096, (shared::state::bytes(size) + 4095) / 4096 * 4096)),
                 std::free) {
        std::fill_n(memory.get(), shared::state::bytes(size), std::byte{0});
        job = shared::state::create(memory.get(), size);
        for (coll::rank_t r = 0; r < size; ++r) {
            all.emplace_back(job, nowhere, own.emplace_back(job, r), r);
        }
    }
    messages& operator[](int r) { return all[static_cast<std::size_t>(r)]; }

    std::unique_ptr<std::byte, decltype(&std::free)> memory;
    shared::state job;
    no_shared_memory nowhere;
    std::deque<shared::private_memory> own;
    std::deque<messages> all;
};

coll::outgoing to(coll::rank_t peer, std::span<std::byte const> data) {
    coll::outgoing out{};
    out.to = peer;
    out.data = data.data();
    out.bytes = data.size();
    return out;
}
coll::incoming from(coll::rank_t peer, std::span<std::byte> data) {
    coll::incoming in{};
    in.from = peer;
    in.data = data.data();
    in.bytes = data.size();
    return in;
}

}  // namespace

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
    while (all[1].poll() || all[0].poll()) {}
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
    CHECK_THROWS(all[0].poll());
    all[0].poll();  // the other one sleeps, and does not ask again
    while (all[2].poll()) {}
    CHECK(all[2].test(sends[1].back()));
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
    if (!shared::private_memory::is_quick()) {
        MESSAGE("not run: here the kernel does not copy, or slowly");
        return;
    }
    for (int r = 0; r < 2; ++r) { all.job.status(r).pid.store(::getpid()); }
    for (auto& one : all.own) { one.is_open(); }
    constexpr auto bytes = shared::least_not_lent_message - 4096;  // more than one pass
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
