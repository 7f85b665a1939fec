// SPDX-License-Identifier: BSD-3-Clause
// What a time-out says: who waits in which step for whom, the same on every rank.
#include <faults/observed.hpp>
#include <faults/variety.hpp>

#include <atomic>
#include <cstddef>
#include <string_view>
#include <thread>
#include <vector>

namespace faults {

namespace {

/// Without the rank that reports it: "rank 2: ..." or "rank 2, calling barrier: ...".
std::string_view common_part(observation const& seen) {
    auto const all = seen.what();
    return all.substr(all.find(": ") + 2);
}

void check_same_text(stories& of) {
    for (auto const& s : of) { CHECK_EQ(common_part(s.error()), common_part(of[0].error())); }
}

/// Rank 0 waits for 300 ms in call(comm), the others as long as it takes; those in `late` come when
/// it has been told.
stories& observe_chain(stories& of, int size, std::vector<int> const& late, rank_body const& call) {
    clean_room room;
    shared_array<std::atomic<int>> told(1);
    job.run(size, [&](coll::communicator& comm) {
        auto& mine = of.at(comm);
        for (auto const r : late) {
            if (r == comm.rank()) { await(told[0], 1); }
        }
        observe(mine.call, [&] { call(comm); });
        if (comm.rank() == 0) { ++told[0]; }
        try_again(mine, comm);
    });
    check_broken(of, outcome::timeout);
    check_same_text(of);
    return of;
}

coll::options time_of(coll::communicator const& comm) {
    return {.algorithm = coll::ring{}, .timeout = comm.rank() == 0 ? 300ms : 20s};
}

}  // namespace

TEST_SUITE_BEGIN("alone");

TEST_CASE("a time-out draws the chain of ranks that wait") {
    stories of(4);
    observe_chain(of, 4, {2}, [](coll::communicator& comm) {
        std::vector<float> data(200, 1);
        comm.all_reduce(data, coll::sum{}, time_of(comm));
    });
    CAPTURE(of[0].error().what());
    CHECK(
        of[0].error().says("rank 0 waits in round 1 of all_reduce #1 for rank 3, which waits in "
                           "round 0 of all_reduce #1 for rank 2, which has not entered it; not "
                           "entered by rank 2"));
    CHECK(of[3].error().misses({2}));
}

TEST_CASE("a chain leads on through another call") {
    stories of(3);
    observe_chain(of, 3, {1}, [](coll::communicator& comm) {
        std::vector<int> data(100);
        if (comm.rank() == 2) { comm.recv(data, 1, 0, {.timeout = 20s}); }
        comm.all_reduce(data, coll::sum{}, time_of(comm));
    });
    CAPTURE(of[0].error().what());
    CHECK(
        of[0].error().says("rank 0 waits in round 0 of all_reduce #1 for rank 2, which has not "
                           "entered it and waits in recv #1 for rank 1"));
}

TEST_CASE("ranks that wait for each other are shown as a circle") {
    stories of(3);
    observe_chain(of, 3, {}, [](coll::communicator& comm) {
        std::vector<int> data(100);
        comm.recv(data, (comm.rank() + 1) % 3, 0, time_of(comm));
    });
    CAPTURE(of[0].error().what());
    CHECK(
        of[0].error().says("rank 0 waits in recv #1 for rank 1, which waits in recv #1 for rank "
                           "2, which waits in recv #1 for rank 0: they wait for each other"));
}

TEST_CASE("who waits no more is not in a chain") {
    stories of(3);
    shared_array<std::atomic<int>> told(1);
    observe_chain(of, 3, {}, [&](coll::communicator& comm) {
        std::vector<int> data(10);
        if (comm.rank() == 1) { comm.recv(data, 2); }  // for a while
        if (comm.rank() == 2) {
            std::this_thread::sleep_for(100ms);
            comm.send(data, 1);
        }
        if (comm.rank() != 0) { std::this_thread::sleep_for(500ms); }
        comm.barrier({.timeout = comm.rank() == 0 ? 300ms : 20s});
    });
    CAPTURE(of[0].error().what());
    CHECK(of[0].error().says("which has not entered it; not entered by rank 1, 2"));
}

TEST_CASE("ranks whose time runs out at once report the same") {
    for (int i = 0; i < repeats(); ++i) {
        auto const size = 3 + below(3);
        CAPTURE(size);
        clean_room room;
        stories of(size);
        shared_array<std::atomic<int>> told(1);
        job.run(size, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            comm.barrier();
            if (comm.rank() == 1) { await(told[0], size - 1); }
            observe(mine.call, [&] { comm.barrier({.timeout = 150ms}); });
            if (comm.rank() != 1) { ++told[0]; }
            try_again(mine, comm);
        });
        check_broken(of, outcome::timeout);
        check_same_text(of);
        CHECK(of[0].error().misses({1}));
    }
}

TEST_SUITE_END();

}  // namespace faults
