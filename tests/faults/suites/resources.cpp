// SPDX-License-Identifier: BSD-3-Clause
// What the system refuses: memory, descriptors. A clean error, and nothing left behind.
#include <faults/limits.hpp>
#include <faults/observed.hpp>
#include <faults/variety.hpp>

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <vector>

namespace faults {

TEST_CASE("more shared memory than there is: an error on every rank, and then all is well") {
    auto const memory = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    for (int i = 0; i < repeats(); ++i) {
        for (auto const bytes : {memory, 3 * memory, std::size_t{1} << 62}) {
            CAPTURE(bytes);
            clean_room room;
            shared_array<observation> of(3);
            CHECK_NOTHROW(job.run(3, [&](coll::communicator& comm) {
                observe(of.at(comm), [&] { (void)comm.allocate<std::byte>(bytes); });
                auto data = comm.allocate<int>(100'000);
                std::fill(data.begin(), data.end(), 1);
                comm.all_reduce(data);
                if (data[99'999] != 3) { throw std::logic_error("a wrong sum"); }
            }));
            for (auto const& seen : of) {
                CAPTURE(seen.what());
                CHECK_EQ(seen.caught, outcome::transport);
                CHECK(seen.says("rank "));
            }
        }
    }
}

TEST_CASE("more elements than memory can be is the caller's mistake") {
    clean_room room;
    shared_array<observation> of(2);
    CHECK_NOTHROW(job.run(2, [&](coll::communicator& comm) {
        observe(of.at(comm), [&] { (void)comm.allocate<double>(std::size_t{1} << 62); });
        comm.barrier();
    }));
    for (auto const& seen : of) { CHECK_EQ(seen.caught, outcome::usage); }
}

TEST_CASE("too few descriptors to start" * doctest::skip(slowness > 1)) {
    for (int const size : {1, 2, 5}) {
        auto const open = entries("/proc/self/fd");
        bool started = false;
        for (std::size_t limit = 3; limit < open + 20 && !started; ++limit) {
            CAPTURE(size);
            CAPTURE(limit);
            clean_room room;
            observation ending;
            observe(ending, [&] {  // lifted again before the sanitizer looks at the exception
                limited const few(RLIMIT_NOFILE, limit);
                job.run(size, [](coll::communicator& comm) { comm.barrier(); });
            });
            CAPTURE(ending.what());
            started = ending.caught == outcome::result;
            if (started) {
                CHECK_GT(limit, 3);
            } else {
                CHECK_EQ(ending.caught, outcome::transport);
                CHECK(ending.says("open files"));
            }
        }
        CHECK(started);
    }
}

TEST_CASE("too few descriptors in a rank" * doctest::skip(slowness > 1)) {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        stories of(3);
        job.run(3, [&](coll::communicator& comm) {
            observe(of.at(comm).call, [&] {
                limited const none(RLIMIT_NOFILE, 0);
                auto part = comm.split(0);
                auto data = part.allocate<int>(1000);
                part.all_reduce(data);
                if (comm.rank() != 1) { comm.barrier(); }
            });
        });
        for (int const r : {0, 2}) { CHECK_EQ(of[r].call.caught, outcome::peer_lost); }
    }
}

TEST_CASE("no room for the shared memory to start") {
    {
        clean_room room;
        limited const small(RLIMIT_FSIZE, 1 << 20);
        CHECK_THROWS_AS(job.run(2, [](coll::communicator&) {}), coll::transport_error);
    }
    if (slowness > 1) { return; }  // the sanitizers need their address space
    clean_room room;
    limited const small(RLIMIT_AS, ::rlim_t{4} << 30);
    CHECK_THROWS_AS(job.run(2, [](coll::communicator&) {}), coll::transport_error);
}

TEST_CASE("COLLECTIVES_TIMEOUT holds for what has no options of its own") {
    for (int i = 0; i < repeats(); ++i) {
        for (int const kind : {0, 1, 2}) {
            clean_room room;
            stories of(3);
            shared_array<std::atomic<int>> told(1);
            ::setenv("COLLECTIVES_TIMEOUT", "0.15", 1);
            job.run(3, [&](coll::communicator& comm) {
                auto& mine = of.at(comm);
                if (comm.rank() == 1) { await(told[0], 2); }
                observe(mine.call, [&] {
                    if (kind == 0) { (void)comm.split(0); }
                    if (kind == 1) { (void)comm.allocate<int>(10); }
                    if (kind == 2) { (void)comm.with(coll::counted{}); }
                });
                ++told[0];
                try_again(mine, comm);
            });
            ::unsetenv("COLLECTIVES_TIMEOUT");
            check_broken(of, outcome::timeout);
            for (auto const& s : of) {
                CHECK(s.call.missing() == std::vector{1});
                CHECK_LT(s.call.seconds, 0.5 * slowness);
            }
        }
    }
}

TEST_CASE("a malformed COLLECTIVES_TIMEOUT is refused before a rank has a communicator") {
    clean_room room;
    ::setenv("COLLECTIVES_TIMEOUT", "1m", 1);
    auto called = false;
    observation ending;
    observe(ending, [&] { job.run(2, [&](coll::communicator&) { called = true; }); });
    ::unsetenv("COLLECTIVES_TIMEOUT");
    CAPTURE(ending.what());
    CHECK_EQ(ending.caught, outcome::run);
    CHECK(ending.says("COLLECTIVES_TIMEOUT is '1m'"));
    CHECK_FALSE(called);
}

TEST_CASE("a rank that starts processes of its own disturbs nobody") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        CHECK_NOTHROW(job.run(3, [&](coll::communicator& comm) {
            for (int k = 0; k < 5; ++k) {
                std::vector<int> data(20'000, 1);
                auto pending = comm.start_all_reduce(data);
                auto const pid = comm.rank() == k % 3 ? ::fork() : 1;
                if (pid == 0) { ::_exit(7); }
                pending.wait();
                if (pid > 1) { ::waitpid(pid, nullptr, 0); }
                if (data[19'999] != 3) { throw std::logic_error("a wrong sum"); }
            }
        }));
    }
}

TEST_CASE("a child of a rank that comes to the end of the rank's function does not leave for it") {
    for (int how = 0; how < 4; ++how) {
        bool const throws = how % 2 != 0, has_thread = how / 2 != 0;
        CAPTURE(throws);
        CAPTURE(has_thread);
        clean_room room;
        CHECK_NOTHROW(job.run(3, [&](coll::communicator& comm) {
            std::vector<int> data(20'000, 1);
            if (has_thread) { comm.start_barrier({.progress = coll::background}).wait(); }
            auto const pid = comm.rank() == 1 ? ::fork() : 1;
            if (pid == 0 && throws) { throw std::runtime_error("no"); }
            if (pid == 0) { return; }
            if (pid > 1) { ::waitpid(pid, nullptr, 0); }
            comm.all_reduce(data);
            if (data[19'999] != 3) { throw std::logic_error("a wrong sum"); }
        }));
    }
}

TEST_CASE("many runs, good ones and failing ones, leave nothing") {
    clean_room room;
    for (int i = 0; i < 30 * repeats(); ++i) {
        observation ending;
        observe(ending, [&] {
            job.run(1 + i % 4, [&](coll::communicator& comm) {
                auto memory = comm.allocate<int>(100);
                auto part = comm.split(comm.rank() % 2);
                if (i % 3 == 1 && comm.rank() == comm.size() - 1) { ::kill(::getpid(), SIGKILL); }
                if (i % 3 == 2 && comm.rank() == 0) { throw std::runtime_error("no"); }
                comm.all_reduce(memory);
            });
        });
        CHECK_EQ(ending.caught, i % 3 == 0 ? outcome::result : outcome::run);
    }
}

}  // namespace faults
