// SPDX-License-Identifier: BSD-3-Clause
// Copies out of the private memory of other processes.
#include <collectives/core/error.hpp>
#include <collectives/core/lending_case.hpp>
#include <collectives/transport/shm.hpp>

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <thread>
#include <vector>

namespace coll = collectives;
namespace shared = collectives::shared;

namespace {

std::uint64_t address_of(void const* p) { return reinterpret_cast<std::uintptr_t>(p); }

/// Two ranks that are this process, for the kernel copies within one too.
struct two_ranks {
    two_ranks() {
        for (coll::rank_t r = 0; r < 2; ++r) { job.state().status(r).pid.store(::getpid()); }
    }
    coll::shm::job job{2};
};

/// Both have seen that they can read each other's memory.
struct lending_ranks : two_ranks {
    lending_ranks() {
        a->lends(this, 1);
        b->lends(this, 1);
    }
    decltype(job.rank(0)) a = job.rank(0), b = job.rank(1);
};

/// Not so in an emulator and in some sandboxes: then nobody lends.
bool kernel_copies() {
    std::byte from{7}, to{};
    iovec const here{&to, 1}, there{&from, 1};
    auto const does = ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) == 1;
    if (!does) { MESSAGE("not run: here the kernel does not copy"); }
    return does;
}

/// Whether a process may read those that it has not started; the machine may forbid it (Yama).
bool may_read_others() {
    int scope = 0;
    std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope;
    auto const may = scope == 0 || ::geteuid() == 0;
    if (!may) { MESSAGE("not run: here a process may not read its parent's memory"); }
    return may;
}

/// A page that nobody may read, behind one that everybody may.
struct half_open {
    half_open() { ::mprotect(data + page, page, PROT_NONE); }
    half_open(half_open const&) = delete;
    half_open& operator=(half_open const&) = delete;
    ~half_open() { ::munmap(data, 2 * page); }

    std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::byte* data = static_cast<std::byte*>(
        ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
};

}  // namespace

TEST_CASE("ranks lend their private memory once all have seen that they can read all") {
    if (!kernel_copies()) { return; }
    two_ranks const pair;
    auto const a = pair.job.rank(0), b = pair.job.rank(1);
    std::vector<std::byte> const mine(3, std::byte{7});
    CHECK_FALSE(a->lends(mine.data(), mine.size()));  // rank 1 has not tried yet
    CHECK(b->lends(mine.data(), mine.size()));
    CHECK(a->lends(mine.data(), mine.size()));
    std::vector<std::byte> copy(3);
    CHECK(b->fetch(0, address_of(mine.data()), copy.data(), copy.size()));
    CHECK(copy == mine);
    copy.assign(3, std::byte{8});
    CHECK(a->put(1, address_of(copy.data() + 1), mine.data(), 2));
    CHECK(copy == std::vector<std::byte>{std::byte{8}, std::byte{7}, std::byte{7}});
}

TEST_CASE("a rank copies what a peer lends, though it has not asked itself since all can") {
    if (!kernel_copies()) { return; }
    two_ranks const pair;
    auto const a = pair.job.rank(0), b = pair.job.rank(1);
    std::byte const mine{7};
    std::byte copy{};
    CHECK_FALSE(b->lends(&mine, 1));  // rank 0 has not tried yet
    REQUIRE(a->lends(&mine, 1));
    CHECK(b->fetch(0, address_of(&mine), &copy, 1));
    CHECK(copy == mine);
}

TEST_CASE("a peer that says that it lends before all can is an error") {
    two_ranks const pair;
    auto const a = pair.job.rank(0);
    std::byte word{};
    CHECK_THROWS_WITH_AS(static_cast<void>(a->fetch(1, address_of(&word), &word, 1)),
                         "memory of rank 1 of the job cannot be read: Operation not permitted",
                         coll::transport_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(a->put(1, address_of(&word), &word, 1)),
                         "memory of rank 1 of the job cannot be written: Operation not permitted",
                         coll::transport_error);
}

TEST_CASE("a rank that has not come, or is in another name space, keeps all from lending") {
    std::byte const word{};
    two_ranks const pair;
    auto const a = pair.job.rank(0);
    CHECK_FALSE(a->lends(&word, 1));
    SUBCASE("another process has its number") {
        auto const b = pair.job.rank(1);
        pair.job.state().status(1).proof.fetch_add(1);
        CHECK_FALSE(a->lends(&word, 1));
        pair.job.state().status(1).proof.fetch_sub(1);  // a rank does not ask again
        CHECK_FALSE(b->lends(&word, 1));
        CHECK_FALSE(a->lends(&word, 1));
    }
    SUBCASE("no process has its number") {
        auto const b = pair.job.rank(1);
        pair.job.state().status(1).pid.store(-1);
        CHECK_FALSE(a->lends(&word, 1));
        CHECK_FALSE(b->lends(&word, 1));
    }
}

TEST_CASE("memory that the kernel does not read is not lent, and is an error where it is read") {
    if (!kernel_copies()) { return; }
    lending_ranks const pair;
    auto const &a = pair.a, &b = pair.b;
    half_open const memory;
    REQUIRE(memory.data != MAP_FAILED);
    CHECK(a->lends(memory.data, memory.page));
    CHECK_FALSE(a->lends(memory.data, memory.page + 1));
    std::vector<std::byte> copy(2 * memory.page);
    auto const at = address_of(memory.data);
    CHECK_THROWS_WITH_AS(static_cast<void>(b->fetch(0, at, copy.data(), copy.size())),
                         "memory of rank 0 of the job cannot be read: Bad address",
                         coll::transport_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(b->put(0, at, copy.data(), copy.size())),
                         "memory of rank 0 of the job cannot be written: Bad address",
                         coll::transport_error);
}

TEST_CASE("a rank whose process has ended has nothing to copy") {
    if (!kernel_copies() || !may_read_others()) { return; }
    two_ranks const pair;
    std::array<std::byte, 8> bytes{}, copy{};
    bool lent = false;
    auto const soon = [](auto&& is) {
        auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
        while (!is() && std::chrono::steady_clock::now() < end) { std::this_thread::yield(); }
    };
    auto const child = ::fork();
    if (child == 0) {
        pair.job.state().status(0).pid.store(::getpid());
        auto const a = pair.job.rank(0);
        soon([&] { return a->lends(bytes.data(), bytes.size()); });
        ::pause();
    }
    REQUIRE(child > 0);
    auto const b = pair.job.rank(1);
    soon([&] { return lent = b->lends(bytes.data(), bytes.size()); });
    auto const fetch = [&] {
        return b->fetch(0, address_of(bytes.data()), copy.data(), copy.size());
    };
    if (lent) { CHECK(fetch()); }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    REQUIRE(lent);
    CHECK_FALSE(fetch());
    CHECK_FALSE(b->put(0, address_of(bytes.data()), copy.data(), copy.size()));
}

TEST_CASE("another process that gets the number of a rank's does not stand for it") {
    if (!kernel_copies()) { return; }
    two_ranks const pair;
    auto const a = pair.job.rank(0), b = pair.job.rank(1);
    std::byte word{}, copy{};
    a->lends(&word, 1);
    REQUIRE(b->lends(&word, 1));
    auto const at = pair.job.state().status(0).proof_at.load();
    auto const proof = pair.job.state().status(0).proof.load();
    auto& there = *reinterpret_cast<std::uint64_t*>(static_cast<std::uintptr_t>(at));
    there = proof + 1;  // as in another process's memory, later than a number can come again
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    CHECK_THROWS_AS(static_cast<void>(b->fetch(0, address_of(&word), &copy, 1)),
                    coll::transport_error);  // this process, which the number stands for, lives
    copy = std::byte{9};
    CHECK_THROWS_AS(static_cast<void>(b->put(0, address_of(&word), &copy, 1)),
                    coll::transport_error);
    CHECK(word == std::byte{});  // nothing is written into another process
    CHECK_THROWS_AS(static_cast<void>(b->fetch(0, address_of(&word), &copy, 1)),
                    coll::transport_error);  // nor is it trusted the next time
    there = proof;
    pair.job.state().status(0).pid.store(1);  // what a peer writes later does not count
    pair.job.state().status(0).proof_at.store(8);
    CHECK(b->fetch(0, address_of(&word), &copy, 1));
}

TEST_CASE("a rank tells its peers whether it prefers lent memory, by the times of its readings") {
    using coll::lending_case, coll::collective, coll::reading;
    using std::chrono::microseconds;
    two_ranks const pair;
    auto const a = pair.job.rank(0), b = pair.job.rank(1);
    constexpr std::size_t mib = 1024 * 1024;
    auto const of = [](bool quick, std::size_t bytes) {
        return lending_case::of_call(quick ? collective::scan : collective::reduce, 2, bytes);
    };
    auto const run = [&](int calls) {
        for (int call = 0; call < calls; ++call) {
            for (bool const quick : {false, true}) {
                auto const bytes = call % 3 == 0 ? 2 * mib - 1 : mib;  // as long for a byte
                auto const lent = a->prefers_lent(1, of(quick, bytes));
                auto const once = microseconds(!lent ? 100 : quick ? 80 : 110);
                b->note_reading(of(quick, bytes), lent ? reading::fetched : reading::staged,
                                bytes == mib ? once : 2 * once);
                b->note_reading(of(quick, 0), reading::fetched, once);  // a peer may say so
            }
        }
    };
    run(100);
    CHECK(a->prefers_lent(1, of(true, mib)));
    CHECK_FALSE(a->prefers_lent(1, of(false, mib)));
    CHECK_FALSE(b->prefers_lent(0, of(true, mib)));
    CHECK_FALSE(a->prefers_lent(1, of(true, mib / 2)));
    for (auto& bits : pair.job.state().status(1).prefers_lent) { bits = 0x5555555555555555; }
    run(1);  // and what a peer has written there counts no longer
    CHECK(a->prefers_lent(1, of(true, mib)));
    CHECK_FALSE(a->prefers_lent(1, of(false, mib)));
}

TEST_CASE("large messages are lent before any was measured") {
    using coll::lending_case;
    two_ranks const pair;
    auto const a = pair.job.rank(0), b = pair.job.rank(1);
    for (auto const kib : {256UL, 1024UL, 1024UL * 1024}) {
        CHECK(a->prefers_lent(1, lending_case::of_message(1024 * kib)));
    }
    CHECK_FALSE(a->prefers_lent(1, lending_case::of_message(255 * 1024)));
    CHECK_FALSE(a->prefers_lent(1, lending_case::of_call(coll::collective::reduce, 2, 1 << 30)));
}

TEST_CASE("memory that was looked at is looked at again after some calls") {
    if (!kernel_copies()) { return; }
    lending_ranks const pair;
    auto const& a = pair.a;
    half_open const memory;
    REQUIRE(memory.data != MAP_FAILED);
    CHECK(a->lends(memory.data, memory.page));
    CHECK_FALSE(a->lends(memory.data, 2 * memory.page));
    ::mprotect(memory.data, memory.page, PROT_NONE);
    int lent = 0;
    while (lent < 1000 && a->lends(memory.data, memory.page)) { ++lent; }
    CHECK(lent < 100);
    ::mprotect(memory.data, memory.page, PROT_READ | PROT_WRITE);
    CHECK(a->lends(memory.data, memory.page));
}
