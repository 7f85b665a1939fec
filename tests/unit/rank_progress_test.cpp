// SPDX-License-Identifier: BSD-3-Clause
// A rank lists what it has under way, and polls some of it while it waits.
#include <collectives/collectives.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/run/rank_progress.hpp>

#include <doctest/doctest.h>

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <thread>
#include <vector>

namespace coll = collectives;
using coll::detail::activity;

namespace {

/// Counts how often it is polled. A message has a peer.
struct polled : activity {
    explicit polled(coll::rank_t peer = -1) { only_peer = peer; }
    bool progress() override { return ++polls, false; }
    void cancel() override {}

    unsigned polls = 0;
};

/// Calls f(what the communicator of a single rank shares).
template <class F>
void with_progress(F f) {
    coll::threads::run(1, [&](coll::communicator& comm) {
        auto& its = *core_of(comm)->engine().shared();
        f(its);
        REQUIRE(its.work->active.empty());
        REQUIRE(its.work->calls == 0);
    });
}

}  // namespace

TEST_CASE("what a rank has under way comes and goes in any order") {
    REQUIRE(rc::check([](std::vector<std::uint8_t> const& steps) {
        with_progress([&](coll::detail::rank_progress& its) {
            std::array<polled, 3> calls;
            std::array messages{polled(0), polled(0), polled(0)};
            auto& work = *its.work;
            std::set<activity*> there;
            auto const turn = [&](activity& a) {
                if (there.insert(&a).second) { return work.add(a); }
                there.erase(&a);
                work.remove(a);
                work.remove(a);  // does nothing
            };
            for (auto const s : steps) {
                auto const i = static_cast<std::size_t>(s % 3);
                turn(s % 2 == 0 ? calls[i] : messages[i]);
                RC_ASSERT(std::set<activity*>(work.active.begin(), work.active.end()) == there);
                RC_ASSERT(work.active.size() == there.size());
                auto const n = std::count_if(there.begin(), there.end(),
                                             [](activity* a) { return !a->is_message(); });
                RC_ASSERT(work.calls == static_cast<std::size_t>(n));
            }
            for (auto* const a : there) { work.remove(*a); }
        });
    }));
}

TEST_CASE("a wait for a message polls the other messages now and then") {
    with_progress([](coll::detail::rank_progress& its) {
        polled awaited(0), other(0), call;
        its.work->add(awaited);
        its.work->add(other);
        for (unsigned i = 0; i < 160; ++i) { its.progress(awaited); }
        CHECK(awaited.polls == 160);
        CHECK(other.polls == 10);
        // A collective is polled each time, and so is all that is beside it.
        its.work->add(call);
        for (unsigned i = 0; i < 160; ++i) { its.progress(awaited); }
        CHECK(call.polls == 160);
        CHECK(other.polls == 170);
        for (auto* const a : {&awaited, &other, &call}) { its.work->remove(*a); }
    });
}

TEST_CASE("a message that leaves or has come at once is not under way") {
    coll::threads::run(2, [](coll::communicator& comm) {
        auto& its = *core_of(comm)->engine().shared();
        std::vector<coll::pending> calls;
        std::vector<int> const sent(32, 7);
        std::vector<int> got(32);
        if (comm.rank() == 0) {
            for (auto& one : sent) { calls.push_back(comm.start_send(std::span(&one, 1), 1)); }
        }
        comm.barrier();
        if (comm.rank() == 1) {
            for (auto& one : got) { calls.push_back(comm.start_recv(std::span(&one, 1), 0)); }
            CHECK(std::count(got.begin(), got.end(), 7) >= 30);  // some wait all the same
        }
        CHECK(its.work->active.size() == 2);  // every 16th polls
        for (auto& c : calls) { c.wait(); }
        if (comm.rank() == 1) { CHECK(got == sent); }
    });
}

TEST_CASE("a message that has failed is left alone") {
    with_progress([](coll::detail::rank_progress& its) {
        polled failed(0);
        for (int i = 0; i < 32; ++i) { its.progress(failed); }
        CHECK(failed.polls == 0);
    });
}

TEST_CASE("a rank whose messages need not wait polls all the same") {
    coll::threads::run(2, [](coll::communicator& comm) {
        std::vector<int> small(1), got(20'000);
        std::vector<int> const sent(got.size(), 1);
        if (comm.rank() == 0) {
            auto whole = comm.start_recv(got, 1, 1);
            std::this_thread::sleep_for(std::chrono::milliseconds(100));  // then all has come
            comm.recv(small, 1);
            for (int i = 0; i < 64; ++i) { comm.send(small, 1); }
            CHECK(got.back() == 1);
            whole.wait();
        } else {
            auto whole = comm.start_send(sent, 0, 1);
            comm.send(small, 0);
            for (int i = 0; i < 64; ++i) { comm.recv(small, 0); }
            whole.wait();
        }
    });
}
