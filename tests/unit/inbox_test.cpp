// SPDX-License-Identifier: BSD-3-Clause
// How messages of shared memory find their receives, and requests their numbers.
#include <collectives/transport/shared/inbox.hpp>
#include <collectives/transport/shared/request.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>

namespace shared = collectives::shared;

TEST_CASE("messages and receives of a tag meet in their order, whoever is first") {
    shared::inbox box;
    std::array<shared::request, 4> receives;
    auto const header = [](std::uint64_t tag, std::uint64_t number) {
        shared::entry_header h;
        h.tag = tag;
        h.sender = number;
        return h;
    };
    std::array<std::byte, 3> const bytes{std::byte{1}, std::byte{2}, std::byte{3}};
    for (std::uint64_t number = 1; number <= 3; ++number) {
        CHECK(box.receiver(header(5, number), bytes.data() + number - 1, 1) == nullptr);
        CHECK(box.receiver(header(6, 10 + number), nullptr, 0) == nullptr);
    }
    for (std::uint64_t number = 1; number <= 3; ++number) {
        auto const early = box.expect(receives[number], 5);
        REQUIRE(early);
        CHECK(early->head.sender == number);
        REQUIRE(early->payload.size() == 1);
        CHECK(early->payload[0] == bytes[number - 1]);
    }
    CHECK(box.expect(receives[0], 6)->head.sender == 11);
    CHECK_FALSE(box.expect(receives[1], 5));
    CHECK_FALSE(box.expect(receives[2], 5));
    CHECK_FALSE(box.expect(receives[3], 5));
    box.forget(receives[2]);
    CHECK(box.receiver(header(5, 20), nullptr, 0) == &receives[1]);
    CHECK(box.receiver(header(5, 21), nullptr, 0) == &receives[3]);
    CHECK(box.receiver(header(5, 22), nullptr, 0) == nullptr);
}

TEST_CASE("a number of a request is never given again") {
    shared::request_numbers numbers;
    std::array<shared::request, 3> requests;
    std::set<std::uint64_t> given;
    for (int turn = 0; turn < 10; ++turn) {
        std::array<std::uint64_t, 3> now{};
        for (std::size_t i = 0; i < now.size(); ++i) {
            now[i] = numbers.add(requests[i]);
            CHECK(given.insert(now[i]).second);
        }
        for (std::size_t i = 0; i < now.size(); ++i) {
            CHECK(numbers.find(now[i]) == &requests[i]);
        }
        for (auto const number : now) {
            numbers.remove(number);
            CHECK(numbers.find(number) == nullptr);
        }
        for (auto const number : given) { CHECK(numbers.find(number) == nullptr); }
    }
    CHECK(numbers.find(0) == nullptr);
}

TEST_CASE(
    "messages of a peer that is far ahead are taken in their order, in time that does not grow") {
    shared::inbox box;
    shared::request receive;
    shared::entry_header h;
    h.tag = 5;
    constexpr std::uint64_t ahead = 200'000;
    std::uint64_t sent = 0, taken = 0;
    auto const send = [&] {
        h.sender = ++sent;
        CHECK(box.receiver(h, nullptr, 0) == nullptr);
    };
    while (sent < ahead) { send(); }  // one by one from the front of a list, 20 s
    while (taken < ahead) {
        auto const early = box.expect(receive, 5);
        REQUIRE(early);
        CHECK(early->head.sender == ++taken);
        if (taken % 3 == 0) { send(); }
    }
    CHECK(box.bytes_of_next(5) == 0);
    CHECK_FALSE(box.bytes_of_next(6));
}
