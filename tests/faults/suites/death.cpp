// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are processes and die, or end without a word: the survivors hear of it within half a
// second, `run` says how it ended, and nothing is left.
#include <faults/lost.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

namespace faults {

namespace {

/// All kinds of collectives without end, checked.
[[noreturn]] void toil(coll::communicator& comm, variant const& v) {
    auto const n = static_cast<std::size_t>(v.size);
    auto const total = v.size * (v.size - 1) / 2;
    auto shared = comm.allocate<int>(v.count);
    for (;;) {
        std::vector<int> sum(v.count, comm.rank()), all(v.count * n), mine(v.count, comm.rank());
        std::fill(shared.begin(), shared.end(), comm.rank());
        auto pending = comm.start_all_gather(mine, all, v.how);
        comm.all_reduce(sum, coll::sum{}, v.how);
        comm.all_reduce(shared, coll::sum{}, v.how);
        pending.wait();
        comm.broadcast(mine, v.size - 1, v.how);
        comm.all_to_all(all, all, v.how);
        if (sum != std::vector<int>(v.count, total) || mine.back() != v.size - 1 ||
            shared[v.count - 1] != total) {
            throw std::logic_error("a wrong result");
        }
    }
}

}  // namespace

TEST_CASE("a rank is killed at any moment of its work") {
    for (auto const& v : variety()) {
        CAPTURE(v.text());
        clean_room room;
        stories of(v.size);
        shared_array<double> when(1);
        observation ending;
        auto const delay = std::chrono::microseconds(below(20'000));
        observe(ending, [&] {
            job.run(v.size, [&](coll::communicator& comm) {
                auto& mine = of.at(comm);
                std::thread killer;
                if (comm.rank() == v.odd) {
                    killer = std::thread([&] {
                        std::this_thread::sleep_for(delay);
                        die(when[0]);
                    });
                }
                observe(mine.call, [&] { toil(comm, v); });
                try_again(mine, comm);
            });
        });
        check_lost(of, v.odd, when[0]);
        check_run_error(ending, v.odd, "signal 9");
    }
}

namespace {

bool deadly = false;

}  // namespace

TEST_CASE("a rank is killed in the middle of a reduction") {
    for (auto v : variety()) {
        prepare_for_operator(v);
        CAPTURE(v.text());
        clean_room room;
        stories of(v.size);
        shared_array<double> when(1);
        observation ending;
        auto const op = coll::commutative([&when](int a, int b) {
            if (deadly) { die(when[0]); }
            return a + b;
        });
        observe(ending, [&] {
            job.run(v.size, [&](coll::communicator& comm) {
                auto& mine = of.at(comm);
                observe(mine.call, [&] {
                    auto const data = vector_for<int>(comm, v);
                    comm.all_reduce(data.span(), op, v.how);
                    deadly = comm.rank() == v.odd;
                    comm.all_reduce(data.span(), op, v.how);
                    comm.barrier(v.how);
                });
                try_again(mine, comm);
            });
        });
        check_lost(of, v.odd, when[0]);
        check_run_error(ending, v.odd, "signal 9");
    }
}

TEST_CASE("a rank is killed before it does anything, others before they are started") {
    for (auto const& v : variety()) {
        CAPTURE(v.text());
        clean_room room;
        stories of(v.size);
        shared_array<double> when(1);
        observation ending;
        observe(ending, [&] {
            job.run(v.size, [&](coll::communicator& comm) {
                if (comm.rank() == v.odd) { die(when[0]); }
                auto& mine = of.at(comm);
                observe(mine.call, [&] { (void)comm.split(comm.rank() % 2); });
                when[0] = std::max(when[0], mine.call.ended - mine.call.seconds);
                try_again(mine, comm);
            });
        });
        check_lost(of, v.odd, when[0]);
        check_run_error(ending, v.odd, "signal 9");
    }
}

TEST_CASE("a death is noticed though another rank sends without end") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        stories of(3);
        shared_array<double> when(1);
        observation ending;
        observe(ending, [&] {
            job.run(3, [&](coll::communicator& comm) {
                auto& mine = of.at(comm);
                std::vector<int> data(10);
                if (comm.rank() == 1) {
                    std::this_thread::sleep_for(20ms);
                    die(when[0]);
                }
                observe(mine.call, [&] {
                    if (comm.rank() == 0) { comm.recv(data, 1, 7, {.timeout = 20s}); }
                    for (;;) {  // until it hears of it
                        comm.send(data, 0, 8);
                        auto const next = seconds_now() + 20e-6;
                        while (seconds_now() < next) {}
                    }
                });
                try_again(mine, comm);
            });
        });
        check_lost(of, 1, when[0]);
        check_run_error(ending, 1, "signal 9");
    }
}

TEST_CASE("a dead rank is named by the number it has in the part that misses it") {
    for (auto const& v : variety()) {
        CAPTURE(v.text());
        clean_room room;
        stories of(v.size);
        shared_array<double> when(1);
        observation ending;
        observe(ending, [&] {
            job.run(v.size, [&](coll::communicator& comm) {
                auto backwards = comm.split(7, -comm.rank());
                auto& mine = of.at(comm);
                std::thread killer;
                if (comm.rank() == v.odd) {
                    killer = std::thread([&] {
                        std::this_thread::sleep_for(2ms);
                        die(when[0]);
                    });
                }
                observe(mine.call, [&] { toil(backwards, v); });
                try_again(mine, backwards);
            });
        });
        for (int r = 0; r < v.size; ++r) {
            if (r == v.odd) { continue; }
            CHECK_EQ(of[r].call.caught, outcome::peer_lost);
            CHECK_EQ(of[r].call.peer, v.size - 1 - v.odd);
        }
        check_run_error(ending, v.odd, "signal 9");
    }
}

TEST_CASE("two ranks die together") {
    for (int i = 0; i < repeats(); ++i) {
        auto const v = variant{5, 3, 1000, true, {.timeout = 20s}};
        auto const apart = std::chrono::microseconds(below(500));
        clean_room room;
        stories of(5);
        shared_array<double> when(2);
        observation ending;
        observe(ending, [&] {
            job.run(5, [&](coll::communicator& comm) {
                auto const me = comm.rank();
                std::thread killer;
                if (me == 1 || me == 3) {
                    killer = std::thread([&] {
                        std::this_thread::sleep_for(10ms + (me == 1 ? apart : 0us));
                        die(when[me / 2]);
                    });
                }
                auto& mine = of.at(comm);
                observe(mine.call, [&] { toil(comm, v); });
                if (killer.joinable()) { killer.join(); }
                try_again(mine, comm);
            });
        });
        CHECK_EQ(ending.caught, outcome::run);
        CHECK((ending.peer == 1 || ending.peer == 3));
        for (int const r : {0, 2, 4}) {
            auto const& e = of[r].call;
            CAPTURE(e.what());
            CHECK_EQ(e.caught, outcome::peer_lost);
            CHECK((e.peer == 1 || e.peer == 3));
            CHECK_LT(e.ended - std::min(when[0], when[1]), 0.5 * slowness);
            CHECK_EQ(of[r].later[4].caught, outcome::peer_lost);
        }
    }
}

TEST_CASE("only one rank survives") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        stories of(4);
        shared_array<double> when(4);
        observation ending;
        observe(ending, [&] {
            job.run(4, [&](coll::communicator& comm) {
                std::vector<int> data(50'000);
                comm.all_reduce(data);
                if (comm.rank() != 2) { die(when.at(comm)); }
                observe(of[2].call, [&] { comm.all_reduce(data); });
                try_again(of[2], comm);
            });
        });
        CHECK_EQ(of[2].call.caught, outcome::peer_lost);
        CHECK_EQ(of[2].later[4].caught, outcome::peer_lost);
        CHECK_EQ(ending.caught, outcome::run);
    }
}

TEST_CASE("a rank ends its process by itself") {
    for (auto const& v : variety()) {
        CAPTURE(v.text());
        auto const way = below(4);
        CAPTURE(way);
        constexpr std::array endings{"status 3", "status 4", "status 0", "signal 10"};
        clean_room room;
        stories of(v.size);
        shared_array<double> when(1);
        observation ending;
        observe(ending, [&] {
            job.run(v.size, [&](coll::communicator& comm) {
                auto const depart = [&] {
                    when[0] = seconds_now();
                    if (way == 0) { std::exit(3); }
                    if (way == 1) { ::_exit(4); }
                    if (way == 2) { std::exit(0); }
                    ::raise(SIGUSR1);
                };
                if (comm.rank() == v.odd) { loop(comm, v, 2, depart); }
                observe(of.at(comm).call, [&] { loop(comm, v, 2, depart); });
                try_again(of.at(comm), comm);
            });
        });
        check_lost(of, v.odd, when[0]);
        check_run_error(ending, v.odd, endings[static_cast<std::size_t>(way)]);
    }
}

TEST_CASE("the process that started the ranks is killed: so are they") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        shared_array<std::atomic<int>> pids(3);
        auto const starter = ::fork();
        if (starter == 0) {
            job.run(3, [&](coll::communicator& comm) {
                pids.at(comm) = ::getpid();
                toil(comm, {3, 0, 1000, true, {.timeout = coll::timeout::never}});
            });
            ::_exit(0);
        }
        for (auto& pid : pids) { await(pid, 1); }
        std::this_thread::sleep_for(std::chrono::milliseconds(below(10)));
        ::kill(starter, SIGKILL);
        ::waitpid(starter, nullptr, 0);
        auto const gone = [&] {
            return std::none_of(pids.begin(), pids.end(),
                                [](auto const& pid) { return is_running(pid); });
        };
        for (int k = 0; k < 1000 && !gone(); ++k) { std::this_thread::sleep_for(1ms); }
        CHECK(gone());
    }
}

}  // namespace faults
