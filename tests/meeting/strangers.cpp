// SPDX-License-Identifier: BSD-3-Clause
// Whoever else comes to the store's door is turned away, and keeps nobody waiting.
#include "place.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <functional>
#include <new>
#include <random>
#include <thread>

using namespace meetings;

namespace {

/// A connection to the store, which is there at the latest soon.
coll::descriptor knock(std::uint16_t port) {
    auto const at = coll::bootstraps::tcp_endpoints("127.0.0.1", std::to_string(port)).front();
    for (;;) {
        coll::descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (::connect(socket.get(), at.get(), at.bytes) == 0) { return socket; }
        std::this_thread::sleep_for(1ms);
    }
}

void say(coll::descriptor const& to, coll::bootstraps::bytes_view what) {
    static_cast<void>(::send(to.get(), what.data(), what.size(), MSG_NOSIGNAL) < 0);
}

/// What the store says until it closes the connection, which it must do in time.
coll::bootstrap_bytes hear(coll::descriptor const& from, std::chrono::milliseconds time) {
    coll::bootstrap_bytes all(4096);
    std::size_t got = 0;
    for (auto const until = coll::steady::now() + time;;) {
        if (!coll::detail::wait_for(from.get(), POLLIN, until)) { FAIL("it stays open"); }
        auto const n = ::recv(from.get(), all.data() + got, all.size() - got, 0);
        if (n <= 0) { break; }
        got += static_cast<std::size_t>(n);
    }
    all.resize(got);
    return all;
}

coll::bootstrap_bytes random_bytes(std::size_t n) {
    std::mt19937 generator(static_cast<unsigned>(n));
    coll::bootstrap_bytes result(n);
    for (auto& b : result) { b = static_cast<std::byte>(generator()); }
    return result;
}

coll::bootstrap_bytes greeting(std::uint32_t rank, std::uint32_t size) {
    return coll::bootstraps::hello{rank, size, 1000, {}, {}}.write();
}

/// Three ranks meet while strangers come, and that takes them no longer than usual.
void besiege(std::function<void(std::uint16_t)> const& strangers) {
    place here("tcp");
    std::vector<forked> ranks{here.start(0, 3, work)};
    strangers(here.port());
    auto const begin = coll::steady::now();
    for (int const r : {1, 2}) { ranks.push_back(here.start(r, 3, work)); }
    CHECK(statuses(ranks) == std::vector{0, 0, 0});
    CHECK(coll::steady::now() - begin < 500ms);
}

auto descriptors() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

long resident_kilobytes() {
    std::ifstream status("/proc/self/statm");
    long total = 0, resident = 0;
    status >> total >> resident;
    return resident * (::sysconf(_SC_PAGESIZE) / 1024);
}

}  // namespace

TEST_CASE("who connects and goes") {
    besiege([](auto port) {
        for (int i = 0; i < 100; ++i) { knock(port); }
    });
}

TEST_CASE("who says nothing is dropped after a while") {
    place here("tcp");
    auto const host = here.start(0, 2, work);
    auto const silent = knock(here.port());
    auto const begin = coll::steady::now();
    CHECK(hear(silent, 3s).empty());
    CHECK(coll::steady::now() - begin > 1800ms);
    CHECK(statuses({host, here.start(1, 2, work)}) == std::vector{0, 0});
}

TEST_CASE("who speaks slowly is dropped after a while too") {
    place here("tcp");
    auto const host = here.start(0, 2, work);
    auto const slow = knock(here.port());
    auto const begin = coll::steady::now();
    auto const text = greeting(1, 2);
    for (std::size_t i = 0; i < text.size(); ++i) {
        say(slow, std::span(text).subspan(i, 1));
        if (coll::detail::wait_for(slow.get(), POLLIN, coll::steady::now() + 50ms)) { break; }
    }
    CHECK(coll::steady::now() - begin > 1800ms);
    CHECK(coll::steady::now() - begin < 2500ms);
    CHECK(statuses({host, here.start(1, 2, work)}) == std::vector{0, 0});
}

TEST_CASE("a megabyte of random bytes") {
    besiege([](auto port) {
        auto const noise = random_bytes(1 << 20);
        for (int i = 0; i < 20; ++i) { say(knock(port), noise); }
    });
}

TEST_CASE("a true beginning and then random bytes") {
    besiege([](auto port) {
        for (std::size_t n = 0; n < 200; n += 7) {
            auto text = greeting(1, 3);
            text.resize(std::min(n, text.size()));
            auto const noise = random_bytes(1000 + n);
            text.insert(text.end(), noise.begin(), noise.end());
            say(knock(port), text);
        }
    });
}

TEST_CASE("another version is told which is spoken here") {
    place here("tcp");
    auto const host = here.start(0, 2, work);
    auto const old = knock(here.port());
    coll::bootstraps::writer text;
    text.put(coll::bootstraps::protocol_magic).put(std::uint32_t{0}).put(random_bytes(20));
    say(old, text.bytes());
    CHECK(coll::bootstraps::prefix::version(hear(old, 1s)) == coll::bootstraps::protocol_version);
    CHECK(statuses({host, here.start(1, 2, work)}) == std::vector{0, 0});
}

TEST_CASE("a rank understands that rank 0 is of another version, or is no store") {
    auto const answered = [](coll::bootstrap_bytes const& reply) {
        place here("tcp");
        auto const door = coll::bootstraps::tcp_endpoints("127.0.0.1", std::to_string(here.port()));
        auto const mine = coll::bootstraps::listen_at(door, "here");
        auto const rank = here.start(1, 2, work, 2s);
        coll::descriptor const guest(::accept(mine.get(), nullptr, nullptr));
        say(guest, reply);
        return end_of(rank);
    };
    coll::bootstraps::writer other;
    other.put(coll::bootstraps::protocol_magic).put(std::uint32_t{7});
    auto const version = answered(other.bytes());
    CHECK(version.status == 30);
    CHECK_MESSAGE(version.said.find("speaks version 7") != std::string::npos, version.said);
    auto const noise = answered(random_bytes(100));
    CHECK(noise.status == 40);
    CHECK_MESSAGE(noise.said.find("it is no store") != std::string::npos, noise.said);
}

TEST_CASE("a rank takes no memory for what rank 0 only promises, and waits no longer for it") {
    namespace bootstraps = coll::bootstraps;
    constexpr int ranks = 1'000'000;
    place here("tcp");
    auto const door = bootstraps::tcp_endpoints("127.0.0.1", std::to_string(here.port()));
    auto const mine = bootstraps::listen_at(door, "here");
    auto const rank = here.start(1, ranks, work, 300ms);
    coll::descriptor const guest(::accept(mine.get(), nullptr, nullptr));
    auto const begin = coll::steady::now();
    coll::bootstrap_bytes hello(bootstraps::hello::bytes);
    CHECK(::recv(guest.get(), hello.data(), hello.size(), MSG_WAITALL) > 0);
    auto const proof = bootstraps::secret().prove(bootstraps::role_of_store, hello, {});
    say(guest, bootstraps::answer{{}, proof}.write());
    for (auto const w : {bootstraps::word::admitted, bootstraps::word::met}) {
        say(guest, bootstraps::frame(w, 0));
    }
    bootstraps::writer head;
    head.put(static_cast<std::uint32_t>(bootstraps::word::gathered)).put(std::uint32_t{0});
    say(guest, head.put(bootstraps::most_gathered(ranks)).bytes());
    coll::bootstrap_bytes const part(1 << 16);
    while (!coll::detail::wait_for(guest.get(), POLLRDHUP, coll::steady::now() + 1ms)) {
        say(guest, part);
    }
    CHECK(end_of(rank).status == 10);
    CHECK(coll::steady::now() - begin < 3s);
}

TEST_CASE("200 at once cost little memory and no descriptors") {
    struct figures {
        std::atomic<long> growth{-1}, descriptors{-1};
    };
    auto* const seen = new (::mmap(nullptr, sizeof(figures), PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0)) figures;
    place here("tcp");
    auto const host = here.start(0, 3, [&](auto until) {
        auto const before = resident_kilobytes();
        auto const open = descriptors();
        int status = 99;
        {
            auto ranks = meet(until);
            seen->growth = resident_kilobytes() - before;
            status = exchange(ranks, until);
        }
        seen->descriptors = descriptors() - open;
        return status;
    });
    std::vector<coll::descriptor> crowd;
    auto const noise = random_bytes(1 << 20);
    for (int i = 0; i < 200; ++i) {
        crowd.push_back(knock(here.port()));
        ::fcntl(crowd.back().get(), F_SETFL, O_NONBLOCK);
        if (i % 3 == 1) { say(crowd.back(), noise); }
        if (i % 3 == 2) { say(crowd.back(), greeting(1, 3)); }
    }
    auto const begin = coll::steady::now();
    CHECK(statuses({host, here.start(1, 3, work), here.start(2, 3, work)}) == std::vector{0, 0, 0});
    CHECK(coll::steady::now() - begin < 500ms);
    CHECK(seen->growth < 10'000);
    CHECK(seen->descriptors == 0);
    MESSAGE("the store grew by " << seen->growth.load() << " KiB");
}

TEST_CASE("a crowd that takes all descriptors must make room") {
    place here("tcp");
    auto const host = here.start(0, 3, [](auto until) {
        rlimit const few{24, 24};
        ::setrlimit(RLIMIT_NOFILE, &few);
        return work(until);
    });
    std::vector<coll::descriptor> crowd;
    for (int i = 0; i < 60; ++i) { crowd.push_back(knock(here.port())); }
    auto const begin = coll::steady::now();
    CHECK(statuses({host, here.start(1, 3, work), here.start(2, 3, work)}) == std::vector{0, 0, 0});
    CHECK(coll::steady::now() - begin < 500ms);
}

TEST_CASE("the door is closed when all have met") {
    place here("tcp");
    auto const stay = [](auto until) {
        auto ranks = meet(until);
        auto const status = exchange(ranks, until);
        std::this_thread::sleep_for(400ms);
        return status;
    };
    std::vector<forked> const ranks{here.start(0, 2, stay), here.start(1, 2, stay)};
    std::this_thread::sleep_for(200ms);
    coll::descriptor const socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    auto const at =
        coll::bootstraps::tcp_endpoints("127.0.0.1", std::to_string(here.port())).front();
    CHECK(::connect(socket.get(), at.get(), at.bytes) != 0);
    CHECK(statuses(ranks) == std::vector{0, 0});
}

TEST_CASE("signals do not disturb the meeting") {
    place here("tcp");
    auto const restless = [](auto until) {
        struct sigaction action {};
        action.sa_handler = [](int) {};  // without SA_RESTART
        ::sigaction(SIGALRM, &action, nullptr);
        itimerval const often{{0, 1000}, {0, 1000}};
        ::setitimer(ITIMER_REAL, &often, nullptr);
        return work(until);
    };
    std::vector<forked> ranks{here.start(0, 3, restless), here.start(1, 3, restless)};
    std::this_thread::sleep_for(300ms);
    ranks.push_back(here.start(2, 3, restless));
    CHECK(statuses(ranks) == std::vector{0, 0, 0});
}
