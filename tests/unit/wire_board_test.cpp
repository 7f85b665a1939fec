// SPDX-License-Identifier: BSD-3-Clause
// Who tells the peers of a failure, who is silent, and what a rank remembers of communicators that
// it has closed.
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
    CHECK_FALSE(boards.send_failures());
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
        CHECK(boards.send_failures());
    }).join();
    using list = decltype(told);
    CHECK(told == list{{0, teller}, {2, teller}});
    CHECK_FALSE(boards.send_failures());
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

namespace {

/// Rank 1 of three, what it has told, and which ranks it thinks may be dead.
struct asking_rank {
    wire::board_list boards{};
    std::vector<std::pair<coll::rank_t, wire::control_message::kind>> told{};
    coll::rank_t deaf = -1;  // telling it throws
    wire::board board = boards.add(9, {0, 1, 2}, 1, [this](coll::rank_t to, auto const& w) {
        if (to == deaf) { throw coll::transport_error("it is gone"); }
        told.emplace_back(to, w.what);
    });

    void enter(std::uint64_t sequence) { board.enter({}, 0, sequence, 0); }
    coll::inquiry_state inquire(coll::wait_point const& at) {
        board.publish_wait(at);
        return board.inquire();
    }
    void hear(coll::rank_t from, wire::control_message::kind what, coll::wait_point const& at = {},
              coll::failure const& why = {}) {
        wire::control_message w;
        w.board = 9;
        w.what = what;
        w.sender = w.from = from;
        w.waits = at;
        w.why = why;
        boards.receive(w);
    }
    std::set<coll::rank_t> silent_after_timeout() {
        board.fail(coll::failure::make(coll::failure_kind::timeout, "late"));
        boards.send_failures();
        std::set<coll::rank_t> silent;
        for (coll::rank_t r = 0; r < 3; ++r) {
            if (boards.is_silent(r)) { silent.insert(r); }
        }
        return silent;
    }
};

using kind = wire::control_message::kind;
using rank_set = std::set<coll::rank_t>;
constexpr coll::wait_point first_call{1, -1, -1, coll::collective::all_reduce};
constexpr coll::wait_point first_receive{1, -1, 0, coll::collective::recv};

}  // namespace

TEST_CASE("who does not answer is silent where time runs out in an older call, or in a receive") {
    for (auto const& at : {first_call, first_receive}) {
        asking_rank me;
        me.enter(1);
        me.enter(2);
        CHECK(me.inquire(at) == coll::inquiry_state::open);
        me.hear(0, kind::wait_answer);
        CHECK(me.silent_after_timeout() == rank_set{2});
    }
}

TEST_CASE("who did not answer is not silent once the call has ended, nor once it tells a failure") {
    asking_rank went_on;
    went_on.enter(1);
    went_on.inquire(first_call);
    went_on.board.finish(1);
    CHECK(went_on.silent_after_timeout() == rank_set{});

    asking_rank told;
    told.enter(1);
    told.inquire(first_call);
    told.hear(0, kind::failed, {}, coll::failure::make(coll::failure_kind::timeout, "late"));
    CHECK(told.silent_after_timeout() == rank_set{2});
}

TEST_CASE("a call and a receive of the same number are asked about apart") {
    asking_rank me;
    me.enter(1);
    me.inquire(first_call);
    me.hear(0, kind::wait_answer);
    me.hear(2, kind::wait_answer);
    CHECK(me.inquire(first_call) == coll::inquiry_state::answered);
    CHECK(me.told.size() == 2);
    CHECK(me.inquire(first_receive) == coll::inquiry_state::open);
    CHECK(me.told.size() == 4);
}

TEST_CASE("other calls of a rank that asks do not make it ask again, nor forget who answered") {
    asking_rank me;
    me.enter(1);
    me.inquire(first_receive);
    me.hear(0, kind::wait_answer);
    me.enter(2);
    me.board.finish(1);
    me.board.finish(2);
    CHECK(me.inquire(first_receive) == coll::inquiry_state::open);
    CHECK(me.told.size() == 2);
    CHECK(me.silent_after_timeout() == rank_set{2});
}

TEST_CASE("who did not answer is not silent once this rank waits elsewhere, or no more") {
    for (auto const& at : {coll::wait_point{}, first_receive}) {
        asking_rank me;
        me.enter(1);
        me.inquire(first_call);
        me.board.publish_wait(at);
        CHECK(me.silent_after_timeout() == rank_set{});
    }
}

TEST_CASE("a rank yields to a lower one that asks, until that one waits elsewhere") {
    asking_rank me;
    me.enter(1);
    me.hear(0, kind::wait_query, {40, -1, 1, coll::collective::recv});
    CHECK(me.inquire(first_call) == coll::inquiry_state::yielded);
    me.hear(0, kind::wait_answer, {1, -1, 2, coll::collective::all_reduce});
    CHECK(me.inquire(first_call) == coll::inquiry_state::open);
}

TEST_CASE("a rank that cannot be told of a failure is silent, and the others are told") {
    asking_rank me;
    me.enter(1);
    me.inquire(first_call);
    me.told.clear();
    me.deaf = 0;
    CHECK(me.silent_after_timeout() == rank_set{0, 2});
    CHECK(me.told == decltype(me.told){{2, kind::failed}});
}
