// SPDX-License-Identifier: BSD-3-Clause
// Messages of shared memory: a peer that stays away, or that never stops, holds up nobody else.
#include <collectives/transport/shared/messages.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace coll = collectives;
namespace shared = collectives::shared;

namespace {

/// Memory that no peer reaches: long messages go through slots.
struct private_memory {
    static constexpr bool always_reachable = false;
    std::uint64_t reach(void const*, std::size_t) const { return 0; }
    std::byte* at(std::uint64_t, std::size_t) const { return nullptr; }
};
using messages = shared::messages<private_memory>;

/// The ranks of a job, all in this thread.
struct ranks {
    explicit ranks(int size)
        : memory(static_cast<std::byte*>(
                     std::aligned_alloc(4096, (shared::state::bytes(size) + 4095) / 4096 * 4096)),
                 std::free) {
        std::fill_n(memory.get(), shared::state::bytes(size), std::byte{0});
        auto const job = shared::state::create(memory.get(), size);
        for (coll::rank_t r = 0; r < size; ++r) { all.emplace_back(job, nowhere, r); }
    }
    messages& operator[](int r) { return all[static_cast<std::size_t>(r)]; }

    std::unique_ptr<std::byte, decltype(&std::free)> memory;
    private_memory nowhere;
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
    ranks all(size);
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
    ranks all(2);
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
    CHECK(endless.taken <= shared::cells_per_ring);
    while (all[0].poll() && endless.taken < most) { all[1].poll(); }
    CHECK(endless.taken == most);
}
