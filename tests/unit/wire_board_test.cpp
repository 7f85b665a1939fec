// SPDX-License-Identifier: BSD-3-Clause
// Who tells the peers of a failure, and what a rank remembers of communicators that it has closed.
#include <collectives/transport/wire/board_list.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace coll = collectives;
namespace wire = collectives::wire;

TEST_CASE("a failure is noted on any thread, and told once, by a thread that may send") {
    wire::board_list boards;
    std::vector<std::pair<coll::rank_t, std::thread::id>> told;
    auto board = boards.add(9, {0, 1, 2}, 1, [&](coll::rank_t to, wire::control_message const& w) {
        CHECK(w.what == wire::control_message::kind::failed);
        CHECK(std::string_view(w.why.text.data()) == "first");
        told.emplace_back(to, std::this_thread::get_id());
    });
    CHECK_FALSE(boards.spread());
    std::thread([&] {
        board.fail(coll::failure::make(coll::failure_kind::aborted, "first"));
    }).join();
    board.fail(coll::failure::make(coll::failure_kind::aborted, "second"));
    CHECK(board.stopped());
    CHECK(std::string_view(board.first_failure()->text.data()) == "first");
    CHECK(told.empty());
    std::thread::id teller;
    std::thread([&] {
        teller = std::this_thread::get_id();
        CHECK(boards.spread());
    }).join();
    using list = decltype(told);
    CHECK(told == list{{0, teller}, {2, teller}});
    CHECK_FALSE(boards.spread());
    CHECK(told.size() == 2);
}

TEST_CASE("of many closed communicators a rank remembers the last thousand") {
    constexpr std::uint64_t boards_made = 5000;
    wire::board_list boards;
    auto const unheard = [](coll::rank_t, wire::control_message const&) {};
    for (std::uint64_t id = 1; id <= boards_made; ++id) {
        auto board = boards.add(id, {0, 1}, 0, unheard);
        boards.close(board);
    }
    for (std::uint64_t id = 1; id <= boards_made; ++id) {
        wire::control_message question;
        question.board = id;
        question.what = wire::control_message::kind::watches;
        question.sender = question.from = 1;
        boards.receive(question);
    }
    std::set<std::uint64_t> answered;
    boards.leave([&](coll::rank_t, wire::control_message const& w) { answered.insert(w.board); });
    CHECK(answered.size() == 1024);
    CHECK(answered.count(boards_made) == 1);
    CHECK(answered.count(boards_made - 1023) == 1);
}
