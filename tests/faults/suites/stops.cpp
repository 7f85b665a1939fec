// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are stopped (SIGSTOP): a timeout names them; who goes on in time has missed nothing.
#include <faults/lost.hpp>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace faults {

namespace {

/// Stops this process until somebody continues it. The kernel shows its name in brackets.
void stop_here(std::atomic<int>& pid) {
    ::prctl(PR_SET_NAME, "a) R (b");
    pid = ::getpid();
    ::raise(SIGSTOP);
}

}  // namespace

TEST_CASE("a stopped rank is named by a timeout, and gets it when it goes on") {
    for (auto v : variety()) {
        v.how.timeout = 200ms;
        CAPTURE(v.text());
        clean_room room;
        stories of(v.size);
        shared_array<std::atomic<int>> pid(1), told(1);
        CHECK_NOTHROW(job.run(v.size, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            std::vector<int> data(v.count);
            comm.barrier();
            if (comm.rank() == v.odd) { stop_here(pid[0]); }
            observe(mine.call, [&] {
                comm.all_reduce(data, coll::sum{}, v.how);
                comm.barrier(v.how);
            });
            try_again(mine, comm);
            if (comm.rank() != v.odd && ++told[0] == v.size - 1) { ::kill(pid[0], SIGCONT); }
        }));
        check_broken(of, outcome::timeout);
        for (auto const& s : of) { CHECK(s.error().misses({v.odd})); }
    }
}

namespace {

bool stops = false;

/// A sum that stops the rank where `stops` is set, once.
auto stopping_sum(std::atomic<int>& pid) {
    return coll::commutative([&pid](int a, int b) {
        if (stops) { stop_here(pid); }
        stops = false;
        return a + b;
    });
}

}  // namespace

TEST_CASE("a rank that is stopped in the middle of an operation is named too") {
    for (auto v : variety()) {
        prepare_for_operator(v);
        v.how.timeout = 200ms;
        CAPTURE(v.text());
        clean_room room;
        stories of(v.size);
        shared_array<std::atomic<int>> pid(1), told(1);
        auto const op = stopping_sum(pid[0]);
        CHECK_NOTHROW(job.run(v.size, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            auto const data = vector_for<int>(comm, v);
            comm.barrier();
            stops = comm.rank() == v.odd;
            observe(mine.call, [&] {
                comm.all_reduce(data.span(), op, v.how);
                comm.barrier(v.how);
            });
            if (comm.rank() != v.odd && ++told[0] == v.size - 1) { ::kill(pid[0], SIGCONT); }
            try_again(mine, comm);
        }));
        for (int r = 0; r < v.size; ++r) {
            auto const& e = of[r].error();
            CAPTURE(r);
            CAPTURE(e.what());
            CHECK_EQ(e.caught, outcome::timeout);
            auto const missing = e.missing();  // in the barrier also who waits for the stopped one
            CHECK(std::find(missing.begin(), missing.end(), v.odd) != missing.end());
        }
    }
}

TEST_CASE("a rank that is stopped for a second has missed nothing") {
    for (int i = 0; i < repeats(); ++i) {
        auto const inside = below(2) == 0;
        CAPTURE(inside);
        clean_room room;
        stories of(4);
        shared_array<std::atomic<int>> pid(1);
        auto const op = stopping_sum(pid[0]);
        CHECK_NOTHROW(job.run(4, [&](coll::communicator& comm) {
            std::thread helper;
            if (comm.rank() == 0) {
                helper = std::thread([&] {
                    await(pid[0], 1);
                    std::this_thread::sleep_for(1s);
                    ::kill(pid[0], SIGCONT);
                });
            }
            if (comm.rank() == 2 && !inside) { stop_here(pid[0]); }
            stops = comm.rank() == 2 && inside;
            observe(of.at(comm).call, [&] {
                std::vector<int> data(10'000, comm.rank());
                comm.all_reduce(data, op, {.algorithm = coll::ring{}, .timeout = 10s});
                if (data != std::vector<int>(10'000, 6)) { throw std::logic_error("a wrong sum"); }
            });
            if (helper.joinable()) { helper.join(); }
        }));
        for (auto const& s : of) { CHECK_EQ(s.call.caught, outcome::result); }
        CHECK_GT(of[1].call.seconds, 0.9);
    }
}

TEST_CASE(
    "a rank that is stopped inside a store is left out, and what it stores later harms nobody") {
    for (int i = 0; i < repeats(); ++i) {
        variant v{4, below(4), 20'000, true, {.algorithm = coll::two_shot{}, .timeout = 200ms}};
        if (below(2) == 0) { v.how.algorithm = coll::ring{}; }
        prepare_for_operator(v);
        CAPTURE(v.text());
        clean_room room;
        stories of(v.size);
        shared_array<std::atomic<int>> pid(1), woken(1);
        shared_array<int> right(v.size);
        auto const op = stopping_sum(pid[0]);
        CHECK_NOTHROW(job.run(v.size, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            auto const data = vector_for<int>(comm, v);
            comm.barrier();
            stops = comm.rank() == v.odd;
            observe(mine.call, [&] {
                comm.all_reduce(data.span(), op, v.how);
                comm.barrier(v.how);
            });
            if (comm.rank() == v.odd) {
                observe(mine.later[0], [&] { (void)comm.shrink({.timeout = 200ms}); });
                ++woken[0];
                return;
            }
            auto rest = comm.shrink({.timeout = 200ms});
            auto reachable = rest.allocate<int>(v.count);
            std::vector<int> own(v.count);
            auto good = 0;
            for (int turn = 0; turn < 40; ++turn) {
                std::fill(own.begin(), own.end(), rest.rank());
                std::fill(reachable.begin(), reachable.end(), rest.rank());
                rest.all_reduce(own, op);
                if (turn == 3 && rest.rank() == 0) { ::kill(pid[0], SIGCONT); }
                rest.all_reduce(reachable, op);
                good += own == std::vector<int>(v.count, 3) &&
                        std::equal(own.begin(), own.end(), reachable.begin());
            }
            right.at(comm) = good;
            await(woken[0], 1);
        }));
        for (int r = 0; r < v.size; ++r) {
            auto const& later = of[r].later[0];
            CAPTURE(r);
            CAPTURE(of[r].error().what());
            CAPTURE(later.what());
            CHECK_EQ(of[r].call.caught, outcome::timeout);
            if (r != v.odd) { CHECK_EQ(right[r], 40); }
            if (r == v.odd) {
                CHECK_EQ(later.caught, outcome::peer_lost);
                CHECK(later.says("went on without this rank"));
            }
        }
    }
}

TEST_CASE("a rank that stays stopped is killed once the others have failed") {
    clean_room room;
    observation ending;
    observe(ending, [&] {
        job.run(3, [](coll::communicator& comm) {
            if (comm.rank() == 1) { ::raise(SIGSTOP); }
            comm.barrier({.timeout = 100ms});
        });
    });
    CHECK_EQ(ending.caught, outcome::run);
    CHECK(ending.says("not entered by rank 1"));
    CHECK_LT(ending.seconds, 8);
}

}  // namespace faults
