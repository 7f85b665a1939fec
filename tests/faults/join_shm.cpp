// SPDX-License-Identifier: BSD-3-Clause
// Processes that were started separately meet, work, and notice who is missing, doubled or dead.
#include "forked.hpp"

#include <collectives/collectives.hpp>
#include <collectives/launch/meeting.hpp>

#include <doctest/doctest.h>

#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
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
        auto comm = coll::shm::join(1s);
        return 0;
    };
    CHECK(statuses({start(0, 3, wait), start(2, 3, wait)}) == std::vector{11, 11});
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

TEST_CASE("a rank whose process rank 0 does not see is turned away") {
    auto const join = [] {
        ::setenv("COLLECTIVES_JOB", "unseen", 1);
        auto comm = coll::shm::join(3s);
        return 0;
    };
    constexpr int not_permitted = 77;
    auto const first = start(0, 2, [&] {  // in a process name space of its own
        if (::unshare(CLONE_NEWPID) != 0) { return not_permitted; }
        return faults::end_of(start(0, 2, join)).status;
    });
    auto const second = start(1, 2, join);
    auto const of_second = faults::end_of(second);
    auto const of_first = faults::end_of(first).status;
    if (of_first == not_permitted) {
        MESSAGE("not looked at: this user may make no process name space");
        return;
    }
    CHECK(of_first == 11);
    CHECK(of_second.status == 30);
    CHECK(of_second.said.find("rank 0 does not see its process") != std::string::npos);
}

TEST_CASE("another user's process that waits in the place of rank 0 is left alone") {
    if (::geteuid() != 0) {
        MESSAGE("not looked at: only root can become another user");
        return;
    }
    constexpr ::uid_t nobody = 65534;
    auto const stranger = start(0, 2, [] {
        if (::setuid(nobody) != 0) { return 1; }
        coll::shm::meeting_place place("collectives-0-squatted");
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
            auto comm = coll::shm::join(1s);
            return 0;
        })});
    };
    CHECK(refused("COLLECTIVES_SIZE", "two") == std::vector{30});
    CHECK(refused("COLLECTIVES_RANK", "2") == std::vector{30});
}
