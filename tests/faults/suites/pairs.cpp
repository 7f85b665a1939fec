// SPDX-License-Identifier: BSD-3-Clause
// Faults of send and recv: another size or type, a partner that has gone or does not come.
#include <faults/observed.hpp>
#include <faults/variety.hpp>

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace faults {

namespace {

/// Rank 0 sends to rank 1, which expects something else.
void check_pair_mismatch(std::string const& says, rank_body const& send, rank_body const& receive) {
    clean_room room;
    stories of(2);
    tell(of, 2, [&](coll::communicator& comm) {
        if (comm.rank() == 0) {
            send(comm);
        } else {
            receive(comm);
        }
    });
    check_broken(of, outcome::mismatch);
    for (auto const& s : of) {
        CAPTURE(s.error().what());
        CHECK(s.error().says("rank 0"));
        CHECK(s.error().says("rank 1"));
        CHECK(s.error().says(says));
    }
}

}  // namespace

TEST_CASE("a message of another size or type than expected") {
    for (int i = 0; i < repeats(); ++i) {
        for (std::size_t const n : {std::size_t{1}, std::size_t{100}, std::size_t{300'000}}) {
            CAPTURE(n);
            std::vector<int> const ints(n);
            check_pair_mismatch(
                std::to_string(4 * n) + " bytes",
                [&](coll::communicator& comm) { comm.send(ints, 1); },
                [&](coll::communicator& comm) {
                    std::vector<int> in(n + 1, 5);
                    comm.recv(in, 0);
                });
            check_pair_mismatch(
                std::to_string(4 * n) + " bytes",
                [&](coll::communicator& comm) { comm.start_send(ints, 1).wait(); },
                [&](coll::communicator& comm) {
                    std::vector<int> in(n == 1 ? 0 : n - 1);
                    auto pending = comm.start_recv(in, 0);
                    while (!pending.test()) {}
                });
            check_pair_mismatch(
                "float", [&](coll::communicator& comm) { comm.send(ints, 1); },
                [&](coll::communicator& comm) {
                    std::vector<float> in(n);
                    comm.recv(in, 0);
                });
        }
    }
}

TEST_CASE("a partner that does not come") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        stories of(3);
        shared_array<std::atomic<int>> told(1);
        job.run(3, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            std::vector<int> data(300'000);  // a small one is sent without anybody to take it
            if (comm.rank() == 0) {
                observe(mine.call, [&] { comm.recv(data, 2, 7, {.timeout = 100ms}); });
            }
            if (comm.rank() == 1) {
                observe(mine.call, [&] { comm.send(data, 2, 8, {.timeout = 100ms}); });
            }
            ++told[0];
            await(told[0], 3);
            if (comm.rank() == 2) { std::this_thread::sleep_for(150ms); }
            try_again(mine, comm);
        });
        for (int r = 0; r < 2; ++r) {
            CAPTURE(of[r].call.what());
            CHECK_EQ(of[r].call.caught, outcome::timeout);
            CHECK(of[r].call.missing() == std::vector{2});
        }
        CHECK_EQ(of[2].later[0].caught, outcome::timeout);
    }
}

TEST_CASE("a time-out is met though another rank sends without end") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        stories of(3);
        shared_array<std::atomic<int>> told(1);
        job.run(3, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            std::vector<int> data(10);
            if (comm.rank() == 0) {
                observe(mine.call, [&] { comm.recv(data, 1, 7, {.timeout = 200ms}); });
                told[0] = 1;
            } else if (comm.rank() == 2) {
                observe(mine.call, [&] {
                    while (told[0] == 0) {
                        comm.send(data, 0, 8);
                        auto const next = seconds_now() + 20e-6;
                        while (seconds_now() < next) {}
                    }
                    comm.barrier();
                });
            } else {
                await(told[0], 1);
            }
            try_again(mine, comm);
        });
        CAPTURE(of[0].call.what());
        CHECK_EQ(of[0].call.caught, outcome::timeout);
        CHECK(of[0].call.missing() == std::vector{1});
        CHECK_LT(of[0].call.seconds, (1.2 * 0.2 + 0.05) * slowness);
    }
}

TEST_CASE("a partner that comes late, but in time") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        CHECK_NOTHROW(job.run(2, [&](coll::communicator& comm) {
            std::vector<int> data(300'000, comm.rank());
            if (comm.rank() == 0) {
                comm.send(data, 1);
            } else {
                std::this_thread::sleep_for(150ms);
                comm.recv(data, 0);
            }
            if (data[299'999] != 0) { throw std::logic_error("wrong data"); }
        }));
    }
}

TEST_CASE("a partner that has gone: what it had sent still comes, then it is lost") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        stories of(3);
        shared_array<std::atomic<int>> received(1);
        job.run(3, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            std::vector<int> small(10, 4), large(300'000);
            if (comm.rank() == 2) { return comm.send(small, 0); }
            if (comm.rank() == 0) {
                std::this_thread::sleep_for(50ms);
                small.assign(10, 0);
                comm.recv(small, 2);
                if (small[9] != 4) { throw std::logic_error("wrong data"); }
                received[0] = 1;
                observe(mine.call, [&] { comm.recv(small, 2); });
            } else {
                await(received[0], 1);
                observe(mine.call, [&] { comm.send(large, 2); });
            }
            try_again(mine, comm);
        });
        for (int r = 0; r < 2; ++r) {
            CAPTURE(of[r].call.what());
            CHECK_EQ(of[r].call.caught, outcome::peer_lost);
            CHECK_EQ(of[r].call.peer, 2);
            CHECK_LT(of[r].call.seconds, 0.5 * slowness);
        }
    }
}

TEST_CASE("a probe tells what a partner that has gone had sent, then that it is lost") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        stories of(3);
        shared_array<std::atomic<int>> probed(1);
        job.run(3, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            std::vector<int> small(10, 4);
            if (comm.rank() == 2) { return comm.send(small, 0, 6); }
            if (comm.rank() == 0) {
                std::this_thread::sleep_for(50ms);
                while (!comm.probe(2, 6)) { std::this_thread::yield(); }
                small.assign(10, 0);
                comm.recv(small, 2, 6);
                if (small[9] != 4) { throw std::logic_error("wrong data"); }
                observe(mine.call, [&] {
                    while (!comm.probe(2, 6)) { std::this_thread::yield(); }
                });
                probed[0] = 1;
            }
            await(probed[0], 1);
            try_again(mine, comm);
        });
        CAPTURE(of[0].call.what());
        CHECK_EQ(of[0].call.caught, outcome::peer_lost);
        CHECK_EQ(of[0].call.peer, 2);
        CHECK(of[0].call.says("rank 0"));
        CHECK_LT(of[0].call.seconds, 0.5 * slowness);
        for (int r = 0; r < 2; ++r) { CHECK_EQ(of[r].later[0].caught, outcome::peer_lost); }
    }
}

}  // namespace faults
