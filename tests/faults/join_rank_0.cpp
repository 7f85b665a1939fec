// SPDX-License-Identifier: BSD-3-Clause
// Processes that were started separately meet at a rank 0 that goes, or that is none.
#include "forked.hpp"
#include "slowness.hpp"

#include <collectives/collectives.hpp>
#include <collectives/launch/memory_handover.hpp>

#include <doctest/doctest.h>

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace coll = collectives;
using faults::start;
using faults::statuses;
using namespace std::chrono_literals;

TEST_CASE("a rank whose rank 0 goes while they meet has lost it") {
    auto const zero = start(0, 2, [] {
        coll::shm::memory_handover place("collectives-" + std::to_string(::geteuid()) + "-left");
        place.open();
        return place.admit(coll::steady::now() + 5s).said.rank == 1 ? 0 : 1;
    });
    auto const one = start(1, 2, [] {
        ::setenv("COLLECTIVES_JOB", "left", 1);
        auto comm = coll::shm::join(5s);
        return 0;
    });
    CHECK(statuses({zero, one}) == std::vector{0, 20});
}

TEST_CASE("a rank that rank 0 has let in learns of its death while others are missing") {
    auto const join = [] {
        ::setenv("COLLECTIVES_JOB", "bereft", 1);
        auto comm = coll::shm::join(5s);
        return 0;
    };
    auto const zero = start(0, 3, join);
    auto const one = start(1, 3, join);
    std::this_thread::sleep_for(300ms * faults::slowness);  // rank 2 never comes
    ::kill(zero.pid, SIGKILL);
    auto const died = coll::steady::now();
    auto const end = faults::end_of(one);
    CHECK(coll::steady::now() - died < 500ms * faults::slowness);
    CHECK(end.status == 20);
    CHECK(end.said.find("rank 0 left while the ranks of the job met") != std::string::npos);
    CHECK(faults::end_of(zero).status == 100 + SIGKILL);
}

TEST_CASE("a rank 0 that hands over too many descriptors leaves none behind") {
    auto const name = "collectives-" + std::to_string(::geteuid()) + "-generous";
    coll::shm::memory_handover place(name);
    place.open();
    auto const one = start(1, 2, [] {
        ::setenv("COLLECTIVES_JOB", "generous", 1);
        auto const before = std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
        try {
            auto comm = coll::shm::join(5s);
        } catch (coll::transport_error const&) {}
        auto const after = std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
        return static_cast<int>(after - before);
    });
    auto const came = place.admit(coll::steady::now() + 5s);
    std::array<int, 2> const files{0, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof files)> control{};
    char byte = 0;
    iovec data{&byte, 1};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = CMSG_LEN(sizeof files);
    auto* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof files);
    std::memcpy(CMSG_DATA(head), files.data(), sizeof files);
    CHECK(::sendmsg(came.connection.get(), &message, MSG_NOSIGNAL) == 1);
    CHECK(statuses({one}) == std::vector{0});
}
