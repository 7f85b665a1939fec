// SPDX-License-Identifier: BSD-3-Clause
// Going on after a loss: the living ranks agree on who they are and go on without the others.
#include <faults/lost.hpp>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

namespace faults {

namespace {

/// What a rank of the new communicator found.
struct new_place {
    observation call;
    int rank = -1, size = 0, sum = 0, first = -1, right = 0;
};

/// The rank shrinks its communicator and uses what it gets, with buffers of all kinds.
void go_on(new_place& mine, coll::communicator& comm, int index, coll::options const& how = {}) {
    observe(mine.call, [&] {
        auto rest = comm.shrink(how);
        mine.rank = rest.rank();
        mine.size = rest.size();
        auto const n = static_cast<std::size_t>(rest.size());
        auto reachable = rest.allocate<int>(50'000);
        std::vector<int> own(50'000, index), all(n), sums(50'000);
        std::fill(reachable.begin(), reachable.end(), index);
        rest.all_reduce(std::span(own.data(), 1));
        mine.sum = own[0];
        own[0] = index;
        rest.all_reduce(own, sums);
        rest.all_reduce(reachable);
        mine.right = std::equal(sums.begin(), sums.end(), reachable.begin()) &&
                     std::count(sums.begin(), sums.end(), mine.sum) == std::ssize(sums);
        rest.all_gather(std::span(&index, 1), all);
        mine.right = mine.right != 0 && std::is_sorted(all.begin(), all.end());
        mine.first = all[0];
        if (rest.size() > 1) {
            auto half = rest.split(rest.rank() % 2);
            half.barrier();
        }
    });
}
/// The ranks `expected` of the job go on, in that order.
void check_places(shared_array<new_place>& places, std::vector<int> const& expected) {
    auto const sum = std::accumulate(expected.begin(), expected.end(), 0);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        auto const& p = places[expected[i]];
        CAPTURE(expected[i]);
        CAPTURE(p.call.what());
        CHECK_EQ(p.call.caught, outcome::result);
        CHECK_EQ(p.rank, static_cast<int>(i));
        CHECK_EQ(p.size, static_cast<int>(expected.size()));
        CHECK_EQ(p.sum, sum);
        CHECK_EQ(p.first, expected[0]);
        CHECK(p.right);
    }
}
std::vector<int> all_but(int size, std::vector<int> const& lost) {
    std::vector<int> result;
    for (int r = 0; r < size; ++r) {
        if (std::find(lost.begin(), lost.end(), r) == lost.end()) { result.push_back(r); }
    }
    return result;
}

}  // namespace

TEST_CASE("the living go on after a loss") {
    for (auto const& v : variety()) {
        if (v.size == 2) { continue; }
        CAPTURE(v.text());
        clean_room room;
        stories of(v.size);
        shared_array<new_place> places(v.size);
        shared_array<double> last_call(1);
        shared_array<std::atomic<int>> calling(1);
        run_with_losses(v.size, [&](coll::communicator& comm) {
            if (comm.rank() == v.odd) {
                comm.barrier();
                return die();
            }
            observe(of.at(comm).call, [&] {
                comm.barrier();
                loop(comm, v, 3, [] {});
            });
            if (++calling[0] == v.size - 1) { last_call[0] = seconds_now(); }
            go_on(places.at(comm), comm, comm.rank());
        });
        auto const rest = all_but(v.size, {v.odd});
        for (auto const r : rest) { CHECK_EQ(of[r].call.caught, outcome::peer_lost); }
        check_places(places, rest);
        for (auto const r : rest) {
            CHECK_LT(places[r].call.ended - last_call[0], most_seconds_to_go_on() + 0.2 * slowness);
        }
    }
}

TEST_CASE("a rank that dies while the others agree is not waited for, and they may shrink again") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        shared_array<new_place> places(5);
        run_with_losses(5, [&](coll::communicator& comm) {
            observation lost;
            comm.barrier();
            if (comm.rank() == 1) { return die(); }
            observe(lost, [&] { comm.barrier(); });
            if (comm.rank() == 3) {
                std::this_thread::sleep_for(std::chrono::milliseconds(i));
                return die();
            }
            std::optional<coll::communicator> rest(comm.shrink());
            if (rest->size() == 4) {  // rank 3 was still there
                observe(lost, [&] { rest->barrier(); });
            } else {
                lost.caught = outcome::peer_lost;
            }
            go_on(places.at(comm), *rest, comm.rank());
        });
        check_places(places, {0, 2, 4});
    }
}

TEST_CASE("each loss can be survived, down to two ranks") {
    clean_room room;
    shared_array<new_place> places(5);
    run_with_losses(5, [&](coll::communicator& comm) {
        auto const me = comm.rank();
        std::optional<coll::communicator> rest(comm.shrink());  // nobody is lost yet
        for (int last = 4; last > 1; --last) {
            rest->barrier();
            if (me == last) { return die(); }
            observation lost;
            observe(lost, [&] { rest->barrier(); });
            rest.emplace(rest->shrink());
        }
        go_on(places.at(comm), *rest, me);
    });
    check_places(places, {0, 1});
}

TEST_CASE("two groups never go on: less than half, and half without rank 0, is an error") {
    struct loss {
        int size;
        std::vector<int> lost;
        bool go_on;
    };
    for (auto const& l : {loss{5, {0, 1, 2}, false}, loss{4, {0, 3}, false}, loss{4, {1, 2}, true},
                          loss{5, {0, 4}, true}}) {
        clean_room room;
        auto const rest = all_but(l.size, l.lost);
        shared_array<new_place> places(l.size);
        run_with_losses(l.size, [&](coll::communicator& comm) {
            comm.barrier();
            if (!std::binary_search(rest.begin(), rest.end(), comm.rank())) { return die(); }
            observation lost;
            observe(lost, [&] { comm.barrier(); });
            go_on(places.at(comm), comm, comm.rank(), {.timeout = 5s});
        });
        if (l.go_on) {
            check_places(places, rest);
            continue;
        }
        for (auto const r : rest) {
            CAPTURE(places[r].call.what());
            CHECK_EQ(places[r].call.caught, outcome::peer_lost);
            CHECK(places[r].call.says("it takes more than half of them"));
        }
    }
}

TEST_CASE("who comes too late is left out, and is told so") {
    clean_room room;
    shared_array<new_place> places(4);
    shared_array<observation> late(4);
    shared_array<std::atomic<int>> gone_on(1);
    CHECK_NOTHROW(job.run(4, [&](coll::communicator& comm) {
        auto& mine = places.at(comm);
        if (comm.rank() != 2) {
            observe(late.at(comm), [&] { comm.barrier({.timeout = 100ms}); });
            go_on(mine, comm, comm.rank(), {.timeout = 200ms});
            ++gone_on[0];
            while (gone_on[0] < 4) { std::this_thread::sleep_for(1ms); }
            return;
        }
        await(gone_on[0], 3);
        go_on(mine, comm, comm.rank(), {.timeout = 200ms});
        ++gone_on[0];
    }));
    check_places(places, {0, 1, 3});
    for (int const r : {0, 1, 3}) { CHECK_EQ(late[r].caught, outcome::timeout); }
    CHECK_EQ(places[2].call.caught, outcome::peer_lost);
    CHECK_EQ(places[2].call.peer, 2);
    CHECK(places[2].call.says("rank 0, 1, 3 went on without this rank"));
}

TEST_CASE("a rank that takes its time after a loss is waited for") {
    clean_room room;
    shared_array<new_place> places(4);
    run_with_losses(4, [&](coll::communicator& comm) {
        std::vector<int> large(2'000'000);
        auto const reduce = [&] {
            comm.all_reduce(large, coll::sum{}, {.algorithm = coll::ring{}});
        };
        if (comm.rank() == 2) {
            reduce();
            return die();  // the others may still be in the call
        }
        observation lost;
        observe(lost, [&] {
            for (;;) { reduce(); }
        });
        if (comm.rank() == 1) { std::this_thread::sleep_for(500ms); }
        go_on(places.at(comm), comm, comm.rank());
    });
    check_places(places, {0, 1, 3});
}

TEST_CASE("survivors go on once: a second time is the caller's mistake") {
    clean_room room;
    shared_array<observation> again(3);
    CHECK_NOTHROW(job.run(3, [&](coll::communicator& comm) {
        auto rest = comm.shrink();
        observe(again.at(comm), [&] { (void)comm.shrink(); });
        rest.barrier();
    }));
    for (auto const& seen : again) {
        CHECK_EQ(seen.caught, outcome::usage);
        CHECK(seen.says("have gone on already"));
    }
}

TEST_CASE("groups and adaptors go on too") {
    clean_room room;
    shared_array<new_place> places(5);
    run_with_losses(5, [&](coll::communicator& comm) {
        coll::counted counts;
        auto seen = comm.with(counts);
        auto odd_first = seen.split(0, comm.rank() % 2 == 0 ? 1 : 0);  // 1, 3, 0, 2, 4
        odd_first.barrier();
        if (comm.rank() == 3) { return die(); }
        observation lost;
        observe(lost, [&] { odd_first.barrier(); });
        counts.reset();
        go_on(places.at(comm), odd_first,
              std::array{1, 0, 2, 0, 3}[static_cast<std::size_t>(comm.rank())]);
        if (counts.sent() == 0) { places.at(comm).right = 0; }
    });
    auto const order = std::array{1, 0, 2, 4};
    for (std::size_t i = 0; i < order.size(); ++i) {
        auto const& p = places[order[i]];
        CAPTURE(p.call.what());
        CHECK_EQ(p.call.caught, outcome::result);
        CHECK_EQ(p.rank, static_cast<int>(i));
        CHECK_EQ(p.sum, 6);
        CHECK(p.right);
    }
}

}  // namespace faults
