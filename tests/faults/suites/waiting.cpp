// SPDX-License-Identifier: BSD-3-Clause
// What waiting costs, and that signals do not disturb it.
#include <faults/observed.hpp>
#include <faults/variety.hpp>

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include <atomic>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

namespace faults {

namespace {

/// The clock of the processor time that this rank uses; others may read it.
::clockid_t own_processor_clock() {
    ::clockid_t clock{};
    if (job.processes) {
        ::clock_getcpuclockid(::getpid(), &clock);
    } else {
        ::pthread_getcpuclockid(::pthread_self(), &clock);
    }
    return clock;
}
double read_clock(::clockid_t clock) {
    ::timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Rank 0 comes 600 ms late; meanwhile the others wait in call(comm).
void check_idle(rank_body const& call) {
    constexpr int size = 4;
    clean_room room;
    shared_array<::clockid_t> clocks(size);
    shared_array<double> used(size);
    shared_array<std::atomic<int>> ready(1);
    CHECK_NOTHROW(job.run(size, [&](coll::communicator& comm) {
        clocks.at(comm) = own_processor_clock();
        ++ready[0];
        if (comm.rank() != 0) { return call(comm); }
        await(ready[0], size);
        std::this_thread::sleep_for(100ms);
        for (int r = 1; r < size; ++r) { used[r] = -read_clock(clocks[r]); }
        std::this_thread::sleep_for(500ms);
        for (int r = 1; r < size; ++r) { used[r] += read_clock(clocks[r]); }
        call(comm);
    }));
    for (int r = 1; r < size; ++r) {
        CAPTURE(r);
        CHECK_LT(used[r], 0.05);  // of 0.5 s
    }
}

}  // namespace

TEST_CASE("who has waited 100 ms uses less than a tenth of a core") {
    for (int i = 0; i < repeats(); ++i) {
        auto const kind = (i + below(3)) % 3;
        CAPTURE(kind);
        check_idle([kind](coll::communicator& comm) {
            std::vector<int> data(kind == 2 ? 10 : 300'000);
            if (kind == 0) { return comm.barrier(); }
            if (kind == 1) { return comm.all_reduce(data); }
            if (comm.rank() != 0) { return comm.recv(data, 0); }
            for (int r = 1; r < comm.size(); ++r) { comm.send(data, r); }
        });
    }
}

namespace {

std::atomic<int> signals_seen{0};

/// Sends SIGALRM to this process a thousand times a second while it lives.
class alarms {
public:
    explicit alarms(int flags) {
        struct ::sigaction act {};
        act.sa_handler = [](int) { ++signals_seen; };
        act.sa_flags = flags;
        ::sigaction(SIGALRM, &act, &before_);
        set(1000);
    }
    alarms(alarms const&) = delete;
    alarms& operator=(alarms const&) = delete;
    ~alarms() {
        set(0);
        ::sigaction(SIGALRM, &before_, nullptr);
    }

private:
    static void set(::suseconds_t every) {
        ::itimerval const when{{0, every}, {0, every}};
        ::setitimer(ITIMER_REAL, &when, nullptr);
    }
    struct ::sigaction before_ {};
};

/// Allocates, then collectives of all sizes, with pauses in which all sleep.
void work(coll::communicator& comm) {
    auto memory = comm.allocate<int>(10'000'000);  // takes some milliseconds
    memory[9'999'999] = comm.rank();
    comm.all_reduce(std::span(memory).last(1));
    if (memory[9'999'999] != 6) { throw std::logic_error("a wrong sum in shared memory"); }
    for (int k = 0; k < 60; ++k) {
        auto const count = static_cast<std::size_t>(k * k * k);
        std::vector<long> sum(count, comm.rank() + k), all(4 * count), mine(count, comm.rank());
        if (k % 10 == comm.rank()) { std::this_thread::sleep_for(15ms); }
        auto pending = comm.start_all_gather(mine, all);
        comm.all_reduce(sum);
        pending.wait();
        if (sum != std::vector<long>(count, 6 + 4 * k)) { throw std::logic_error("a wrong sum"); }
        for (std::size_t i = 0; i < 4 * count; ++i) {
            if (all[i] != static_cast<long>(i / count)) { throw std::logic_error("a wrong block"); }
        }
    }
}

}  // namespace

TEST_CASE("a thousand signals a second change nothing") {
    for (int i = 0; i < repeats(); ++i) {
        auto const flags = (i + below(2)) % 2 == 0 ? 0 : SA_RESTART;
        CAPTURE(flags);
        clean_room room;
        shared_array<int> seen(4);
        auto const body = [&](coll::communicator& comm) {
            if (!job.processes) { return work(comm); }
            alarms const timer(flags);
            work(comm);
            seen.at(comm) = signals_seen;
        };
        if (job.processes) {
            CHECK_NOTHROW(job.run(4, body));
            CHECK_GT(seen[0], 20);
        } else {
            signals_seen = 0;
            alarms const timer(flags);
            CHECK_NOTHROW(job.run(4, body));
            CHECK_GT(signals_seen.load(), 20);
        }
    }
}

TEST_CASE("more ranks than cores get on") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        CHECK_NOTHROW(job.run(16, [&](coll::communicator& comm) {
            for (int k = 0; k < 200; ++k) {
                std::vector<int> sum(1 + static_cast<std::size_t>(k % 3) * 5000, comm.rank());
                comm.all_reduce(sum);
                if (sum.back() != 120) { throw std::logic_error("a wrong sum"); }
            }
        }));
    }
}

TEST_CASE("a rank that sleeps until a third one sends makes room for one that sleeps for room") {
    for (bool const room_first : {false, true}) {
        CAPTURE(room_first);
        clean_room room;
        shared_array<std::atomic<int>> sent(1);
        CHECK_NOTHROW(job.run(3, [&](coll::communicator& comm) {
            // A ring holds 113 of them. Ranks that nobody wakes look every 20 ms, which is too
            // late.
            constexpr int many = 20'000;
            coll::options const in_time{.timeout =
                                            std::chrono::milliseconds(int(2'000 * slowness))};
            std::vector<int> word(1);
            if (comm.rank() == (room_first ? 1 : 0)) { std::this_thread::sleep_for(50ms); }
            if (comm.rank() == 0) {
                for (word[0] = 0; word[0] < many; ++word[0]) { comm.send(word, 1, 1, in_time); }
                ++sent[0];
            } else if (comm.rank() == 1) {
                comm.recv(word, 2, 2, in_time);
                for (int i = 0; i < many; ++i) {
                    comm.recv(word, 0, 1, in_time);
                    if (word[0] != i) { throw std::logic_error("another message came"); }
                }
            } else {
                await(sent[0], 1);
                comm.send(word, 1, 2);
            }
        }));
    }
}

}  // namespace faults
