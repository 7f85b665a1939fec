// SPDX-License-Identifier: BSD-3-Clause
// Rings of messages between two ranks: messages of any size arrive whole and in order, and nothing
// that an older one left behind is taken for one.
#include <collectives/transport/shared/rings.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <vector>

namespace shared = collectives::shared;
using shared::entry_header, shared::entry_kind;

namespace {

struct ring_of_two {
    std::unique_ptr<std::byte, decltype(&std::free)> memory{
        static_cast<std::byte*>(
            std::aligned_alloc(4096, (shared::state::bytes(2) + 4095) / 4096 * 4096)),
        std::free};
    shared::state job = created();
    shared::rings sender{job, 0}, receiver{job, 1};

    shared::state created() const {
        std::fill_n(memory.get(), shared::state::bytes(2), std::byte{0});
        return shared::state::create(memory.get(), 2);
    }
    bool send(std::vector<std::byte> const& what, std::uint64_t tag) {
        auto* const c = sender.free_entry(1, what.size());
        if (c == nullptr) { return false; }
        std::copy(what.begin(), what.end(), c->payload(what.size()));
        sender.hand_over(1, *c, {.kind = entry_kind::eager, .tag = tag, .bytes = what.size()});
        return true;
    }
    /// Checks and gives back what has come; false if nothing has.
    bool receive(std::vector<std::byte> const& expected, std::uint64_t tag) {
        auto* const c = receiver.full_entry(0);
        if (c == nullptr) { return false; }
        auto const h = entry_header::of(*c);
        REQUIRE(h.fits());
        CHECK(h.tag == tag);
        REQUIRE(h.bytes == expected.size());
        CHECK(std::equal(expected.begin(), expected.end(), c->payload(h.bytes)));
        receiver.hand_back(0, h.payload());
        return true;
    }
};

/// Of all bytes the worst: each word is a stamp that the receiver may wait for soon.
std::vector<std::byte> made_of_stamps(std::size_t bytes, std::uint32_t stamp) {
    std::vector<std::byte> made(bytes);
    for (std::size_t i = 0; i + sizeof stamp <= bytes; i += sizeof stamp) {
        std::memcpy(made.data() + i, &stamp, sizeof stamp);
    }
    return made;
}

}  // namespace

TEST_CASE(
    "a ring brings messages of any size whole and in order, and never one that was not sent") {
    ring_of_two all;
    std::mt19937 random(1);
    auto const below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::deque<std::vector<std::byte>> under_way;
    std::uint64_t sent = 0, received = 0;
    for (int turn = 0; turn < 30'000; ++turn) {
        for (auto n = below(20); n > 0; --n) {
            constexpr std::size_t sizes[]{0, 32, 33, 64, 65, 300, shared::entry_payload};
            auto const bytes = below(2) == 0 ? sizes[below(7)] : below(shared::entry_payload + 1);
            auto const laps = static_cast<std::uint32_t>(sent / shared::ring_lines);
            auto what = made_of_stamps(bytes, static_cast<std::uint32_t>(below(laps * 10 + 9)));
            if (!all.send(what, sent)) { break; }
            under_way.push_back(std::move(what));
            ++sent;
        }
        for (auto n = below(20); n > 0 && !under_way.empty(); --n) {
            REQUIRE(all.receive(under_way.front(), received++));
            under_way.pop_front();
        }
        if (under_way.empty()) { REQUIRE(all.receiver.full_entry(0) == nullptr); }
    }
    CHECK(received > 100'000);
}

TEST_CASE("a payload that looks like a stamp is not taken for a message") {
    for (std::uint32_t stamp = 0; stamp < 5; ++stamp) {
        CAPTURE(stamp);
        ring_of_two all;
        auto const whole_entry = made_of_stamps(shared::entry_payload, stamp);
        auto const small = made_of_stamps(8, stamp);
        std::uint64_t tag = 0;
        auto const pass = [&](auto const& what) {
            REQUIRE(all.send(what, tag));
            REQUIRE(all.receive(what, tag++));
            CHECK(all.receiver.full_entry(0) == nullptr);
        };
        for (int lap = 0; lap < 3; ++lap) {
            for (int i = 0; i < 8; ++i) { pass(whole_entry); }
            for (std::size_t i = 0; i < shared::ring_lines; ++i) { pass(small); }
        }
    }
}

TEST_CASE(
    "a ring holds 113 short messages, or 8 long ones, and wakes who waits for room or is to make "
    "it") {
    for (std::size_t const bytes : {32UL, shared::entry_payload}) {
        CAPTURE(bytes);
        ring_of_two all;
        std::vector<std::byte> const what(bytes);
        std::uint64_t sent = 0;
        while (sent < (bytes <= 32 ? 113 : 8) && all.send(what, sent)) { ++sent; }
        // Both ranks sleep. The receiver wakes to learn that it holds up the sender.
        auto& sender = all.job.status(0);
        auto& receiver = all.job.status(1);
        sender.asleep = receiver.asleep = 1;
        CHECK_FALSE(all.send(what, sent));
        CHECK(receiver.holds_up == 1);
        CHECK(receiver.bell == 1);
        // Half a ring is free. The sender wakes, and knows.
        for (std::uint64_t i = 0; i < sent * 3 / 5; ++i) { CHECK(all.receive(what, i)); }
        CHECK(sender.bell == 1);
        CHECK(all.send(what, sent));
    }
}
