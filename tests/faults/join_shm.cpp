// SPDX-License-Identifier: BSD-3-Clause
// Processes that were started separately meet, work, and notice who is missing, doubled or dead.
#include "forked.hpp"

#include <collectives/collectives.hpp>
#include <collectives/launch/local_job.hpp>
#include <collectives/launch/memory_handover.hpp>

#include <doctest/doctest.h>

#include <linux/sched.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace coll = collectives;
using faults::start;
using faults::statuses;
using namespace std::chrono_literals;

namespace {

int work() {
    auto comm = coll::shm::join(10s);
    auto data = comm.allocate<int>(100'000);
    for (auto& x : data) { x = comm.rank() + 1; }
    comm.all_reduce(data);
    auto const sum = comm.size() * (comm.size() + 1) / 2;
    return data[0] == sum && data[99'999] == sum ? 0 : 1;
}

}  // namespace

TEST_CASE("ranks that a launcher started meet and work, again and again") {
    for (int again = 0; again < 5; ++again) {
        for (int const size : {1, 2, 4}) {
            std::vector<faults::forked> ranks;
            for (int r = size - 1; r >= 0; --r) { ranks.push_back(start(r, size, work)); }
            CHECK(statuses(ranks) == std::vector<int>(static_cast<std::size_t>(size), 0));
        }
    }
}

TEST_CASE("who does not come is named by all") {
    auto const wait = [] {
        auto comm = coll::shm::join(3s);
        return 0;
    };
    CHECK(statuses({start(0, 3, wait), start(2, 3, wait)}) == std::vector{11, 11});
    auto const wait_longer = [] {
        auto comm = coll::shm::join(10s);
        return 0;
    };
    CHECK(statuses({start(2, 3, wait_longer), start(0, 3, wait)}) == std::vector{11, 11});
    CHECK(statuses({start(1, 2, wait)}) == std::vector{10});
}

TEST_CASE("a rank that is there already, or of another size, is turned away") {
    auto const first = start(0, 2, [] {
        auto comm = coll::shm::join(5s);
        comm.barrier();
        return 0;
    });
    auto const stranger = start(1, 3, [] {
        auto comm = coll::shm::join(5s);
        return 0;
    });
    CHECK(statuses({stranger}) == std::vector{30});
    auto const second = start(1, 2, [] {
        auto comm = coll::shm::join(5s);
        comm.barrier();
        return 0;
    });
    CHECK(statuses({first, second}) == std::vector{0, 0});
}

TEST_CASE("a rank that does not see rank 0's process, or is not seen by it, is turned away") {
    auto const join = [] {
        ::setenv("COLLECTIVES_JOB", "unseen", 1);
        auto comm = coll::shm::join(3s);
        return 0;
    };
    constexpr int not_permitted = 77;
    for (int const apart : {0, 1}) {  // it is in a process name space of its own
        CAPTURE(apart);
        auto const one = start(apart, 2, [&] {
            if (::unshare(CLONE_NEWPID) != 0) { return not_permitted; }
            return faults::end_of(start(apart, 2, join)).status;
        });
        auto const of_other = faults::end_of(start(1 - apart, 2, join));
        auto const of_one = faults::end_of(one).status;
        if (of_one == not_permitted) {
            MESSAGE("not looked at: this user may make no process name space");
            return;
        }
        CHECK(of_one == (apart == 0 ? 11 : 30));
        CHECK(of_other.status == (apart == 0 ? 30 : 11));
        CHECK(of_other.said.find("do not see each other's process") != std::string::npos);
    }
}

TEST_CASE("another user's process that waits in the place of rank 0 is left alone") {
    if (::geteuid() != 0) {
        MESSAGE("not looked at: only root can become another user");
        return;
    }
    constexpr ::uid_t nobody = 65534;
    auto const stranger = start(0, 2, [] {
        if (::setuid(nobody) != 0) { return 1; }
        coll::shm::memory_handover place("collectives-0-squatted");
        place.open();
        return place.admit(coll::steady::now() + 2s).connection.get() < 0 ? 0 : 2;
    });
    auto const rank = start(1, 2, [] {
        ::setenv("COLLECTIVES_JOB", "squatted", 1);
        auto comm = coll::shm::join(5s);
        return 0;
    });
    auto const end = faults::end_of(rank);
    CHECK(end.status == 30);
    CHECK(end.said.find("another user's process") != std::string::npos);
    CHECK(faults::end_of(stranger).status == 0);
}

TEST_CASE("a rank of another version of the library is turned away, and named") {
    auto const join = [] {
        ::setenv("COLLECTIVES_JOB", "versions", 1);
        auto comm = coll::shm::join(2s);
        return 0;
    };
    auto const zero = start(0, 3, join);
    auto const one = start(1, 3, join);
    auto const other = start(2, 3, [] {
        coll::shm::memory_handover place("collectives-" + std::to_string(::geteuid()) +
                                         "-versions");
        auto const layout = coll::shm::detail::layout_of_job(3) + 1;
        place.receive_file({.layout = layout, .rank = 2, .size = 3}, coll::steady::now() + 2s);
        return 0;
    });
    constexpr auto* said = "rank 2 and rank 0 are of different versions of the library";
    for (auto const& known : {zero, one}) {
        auto const end = faults::end_of(known);
        CHECK(end.status == 12);
        CHECK(end.said.find(said) != std::string::npos);
    }
    auto const end = faults::end_of(other);
    CHECK(end.status == 30);
    CHECK(end.said.find("are of different versions of the library") != std::string::npos);
}

TEST_CASE("a rank that comes when all are there is turned away") {
    coll::shm::memory_handover place("collectives-" + std::to_string(::geteuid()) + "-full");
    place.open();
    auto const late = start(1, 2, [] {
        ::setenv("COLLECTIVES_JOB", "full", 1);
        auto comm = coll::shm::join(5s);
        return 0;
    });
    std::this_thread::sleep_for(200ms);  // it waits to be let in
    place.close();
    CHECK(statuses({late}) == std::vector{30});
}

TEST_CASE("a rank does not wait beyond its time though rank 0 lets nobody in") {
    auto const name = "collectives-" + std::to_string(::geteuid()) + "-crowded";
    coll::shm::memory_handover place(name);
    place.open();
    coll::detail::local_address const address(name);
    std::vector<coll::descriptor> crowd;
    do {
        crowd.emplace_back(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    } while (::connect(crowd.back().get(), address.get(), address.bytes) == 0);
    CHECK(errno == EAGAIN);
    auto const late = start(1, 2, [] {
        ::setenv("COLLECTIVES_JOB", "crowded", 1);
        ::alarm(5);
        auto comm = coll::shm::join(300ms);
        return 0;
    });
    CHECK(statuses({late}) == std::vector{10});
}

TEST_CASE("a forked child that destroys the communicator does not leave for its parent") {
    auto const join = [] {
        auto comm = coll::shm::join(10s);
        auto data = comm.allocate<int>(100'000);
        std::fill(data.begin(), data.end(), 1);
        if (comm.rank() == 1) {
            auto const child = ::fork();
            if (child == 0) {
                {
                    auto const memory = std::move(data);
                    auto const all = std::move(comm);
                }
                ::_exit(0);
            }
            ::waitpid(child, nullptr, 0);
        }
        comm.barrier();
        comm.all_reduce(data);
        return data[0] == 2 && data[99'999] == 2 ? 0 : 1;
    };
    CHECK(statuses({start(0, 2, join), start(1, 2, join)}) == std::vector{0, 0});
}

namespace {

/// A child that gets this number, which must be free; -1 where that is not allowed.
pid_t fork_as(pid_t number) {
    ::clone_args how{};
    how.exit_signal = SIGCHLD;
    how.set_tid = reinterpret_cast<std::uintptr_t>(&number);
    how.set_tid_size = 1;
    return static_cast<pid_t>(::syscall(SYS_clone3, &how, sizeof how));
}

}  // namespace

TEST_CASE("a dead rank is lost though another process has got its number") {
    std::array<int, 2> replaced{};
    REQUIRE(::pipe(replaced.data()) == 0);
    auto const survive = [&] {
        auto comm = coll::shm::join(10s);
        comm.barrier();
        char byte = 0;
        if (::read(replaced[0], &byte, 1) != 1) { return 1; }
        comm.barrier({.timeout = 2s});
        return 0;
    };
    auto const die = [] {
        auto comm = coll::shm::join(10s);
        comm.barrier();
        ::raise(SIGKILL);
        return 0;
    };
    auto const survivor = start(0, 2, survive);
    auto const dead = start(1, 2, die);
    CHECK(statuses({dead}) == std::vector{100 + SIGKILL});
    auto const other = fork_as(dead.pid);
    if (other == 0) {
        for (;;) { ::pause(); }
    }
    CHECK(::write(replaced[1], "", 1) == 1);
    CHECK(statuses({survivor}) == std::vector{21});
    if (other > 0) {
        ::kill(other, SIGKILL);
        ::waitpid(other, nullptr, 0);
    } else {
        MESSAGE("no other process: this user may not choose its number");
    }
    for (auto const end : replaced) { ::close(end); }
}

TEST_CASE("a death is noticed though nobody watches the processes") {
    auto const begin = coll::steady::now();
    auto const survive = [] {
        auto comm = coll::shm::join(10s);
        comm.barrier();
        comm.barrier({.timeout = 10s});
        return 0;
    };
    auto const die = [] {
        auto comm = coll::shm::join(10s);
        comm.barrier();
        ::raise(SIGKILL);
        return 0;
    };
    auto const ranks = std::vector{start(0, 3, survive), start(1, 3, die), start(2, 3, survive)};
    CHECK(statuses(ranks) == std::vector{21, 100 + SIGKILL, 21});
    CHECK(coll::steady::now() - begin < 5s);
}

TEST_CASE("an environment that contradicts itself is refused") {
    auto const refused = [](char const* name, char const* value) {
        return statuses({start(0, 2, [=] {
            ::setenv(name, value, 1);
            auto comm = coll::shm::join(3s);
            return 0;
        })});
    };
    CHECK(refused("COLLECTIVES_SIZE", "two") == std::vector{30});
    CHECK(refused("COLLECTIVES_RANK", "2") == std::vector{30});
}
