// SPDX-License-Identifier: BSD-3-Clause
// Copies out of the private memory of other processes.
#include <collectives/algorithm/ring.hpp>
#include <collectives/core/error.hpp>
#include <collectives/lower/protocol.hpp>
#include <collectives/transport/shm.hpp>

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace coll = collectives;
namespace shared = collectives::shared;

namespace {

constexpr bool also_slowly = true;  // so that it depends little on the machine

std::uint64_t address_of(void const* p) { return reinterpret_cast<std::uintptr_t>(p); }

/// Two ranks that are this process, for the kernel copies within one too.
struct two_ranks {
    two_ranks() {
        for (coll::rank_t r = 0; r < 2; ++r) { job.state().status(r).pid.store(::getpid()); }
    }
    coll::shm::job job{2};
};

/// Not so in an emulator or where system calls are slow, as in some sandboxes: then nobody lends.
bool kernel_copies() {
    auto const does = shared::private_memory::page_time() <= shared::private_memory::longest_page;
    if (!does) { MESSAGE("not run: here the kernel does not copy, or slowly"); }
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

coll::lowering::call_shape shape_of(coll::collective what, int size, std::size_t bytes) {
    coll::lowering::call_shape s;
    s.what = what;
    s.size = size;
    s.count = bytes;
    s.elem_size = 1;
    return s;
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
    CHECK_FALSE(a->lends(mine.data(), mine.size(), also_slowly));  // rank 1 has not tried yet
    CHECK(b->lends(mine.data(), mine.size(), also_slowly));
    CHECK(a->lends(mine.data(), mine.size(), also_slowly));
    std::vector<std::byte> copy(3);
    CHECK(b->fetch(0, address_of(mine.data()), copy.data(), copy.size()));
    CHECK(copy == mine);
}

TEST_CASE("a rank copies what a peer lends, though it has not asked itself since all can") {
    if (!kernel_copies()) { return; }
    two_ranks const pair;
    auto const a = pair.job.rank(0), b = pair.job.rank(1);
    std::byte const mine{7};
    std::byte copy{};
    CHECK_FALSE(b->lends(&mine, 1, also_slowly));  // rank 0 has not tried yet
    REQUIRE(a->lends(&mine, 1, also_slowly));
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
}

TEST_CASE("a rank that has not come, or is in another name space, keeps all from lending") {
    std::byte const word{};
    two_ranks const pair;
    auto const a = pair.job.rank(0);
    CHECK_FALSE(a->lends(&word, 1, also_slowly));
    SUBCASE("another process has its number") {
        auto const b = pair.job.rank(1);
        pair.job.state().status(1).proof.fetch_add(1);
        CHECK_FALSE(a->lends(&word, 1, also_slowly));
        pair.job.state().status(1).proof.fetch_sub(1);  // a rank does not ask again
        CHECK_FALSE(b->lends(&word, 1, also_slowly));
        CHECK_FALSE(a->lends(&word, 1, also_slowly));
    }
    SUBCASE("no process has its number") {
        auto const b = pair.job.rank(1);
        pair.job.state().status(1).pid.store(-1);
        CHECK_FALSE(a->lends(&word, 1, also_slowly));
        CHECK_FALSE(b->lends(&word, 1, also_slowly));
    }
}

TEST_CASE("memory that the kernel does not read is not lent, and is an error where it is read") {
    if (!kernel_copies()) { return; }
    two_ranks const pair;
    auto const a = pair.job.rank(0), b = pair.job.rank(1);
    half_open const memory;
    REQUIRE(memory.data != MAP_FAILED);
    a->lends(memory.data, 1, also_slowly);
    b->lends(memory.data, 1, also_slowly);
    CHECK(a->lends(memory.data, memory.page, also_slowly));
    CHECK_FALSE(a->lends(memory.data, memory.page + 1, also_slowly));
    std::vector<std::byte> copy(2 * memory.page);
    auto const at = address_of(memory.data);
    CHECK_THROWS_WITH_AS(static_cast<void>(b->fetch(0, at, copy.data(), copy.size())),
                         "memory of rank 0 of the job cannot be read: Bad address",
                         coll::transport_error);
}

TEST_CASE("a rank whose process has ended has nothing to copy") {
    if (!kernel_copies() || !may_read_others()) { return; }
    // Each process times the kernel for itself, so where it is hardly quick enough one may refuse.
    bool lent = false;
    for (int turn = 0; turn < 5 && !lent; ++turn) {
        two_ranks const pair;
        std::array<std::byte, 8> bytes{}, copy{};
        auto const soon = [](auto&& is) {
            auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
            while (!is() && std::chrono::steady_clock::now() < end) { std::this_thread::yield(); }
        };
        auto const child = ::fork();
        if (child == 0) {
            pair.job.state().status(0).pid.store(::getpid());
            auto const a = pair.job.rank(0);
            soon([&] { return a->lends(bytes.data(), bytes.size(), also_slowly); });
            ::pause();
        }
        REQUIRE(child > 0);
        auto const b = pair.job.rank(1);
        soon([&] { return lent = b->lends(bytes.data(), bytes.size(), also_slowly); });
        auto const fetch = [&] {
            return b->fetch(0, address_of(bytes.data()), copy.data(), copy.size());
        };
        if (lent) { CHECK(fetch()); }
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        if (lent) { CHECK_FALSE(fetch()); }
    }
    CHECK(lent);
}

TEST_CASE("another process that gets the number of a rank's does not stand for it") {
    if (!kernel_copies()) { return; }
    two_ranks const pair;
    auto const a = pair.job.rank(0), b = pair.job.rank(1);
    std::byte word{}, copy{};
    a->lends(&word, 1, also_slowly);
    REQUIRE(b->lends(&word, 1, also_slowly));
    auto const at = pair.job.state().status(0).proof_at.load();
    auto const proof = pair.job.state().status(0).proof.load();
    auto& there = *reinterpret_cast<std::uint64_t*>(static_cast<std::uintptr_t>(at));
    there = proof + 1;  // as in another process's memory
    CHECK_THROWS_AS(static_cast<void>(b->fetch(0, address_of(&word), &copy, 1)),
                    coll::transport_error);  // this process, which the number stands for, lives
    there = proof;
    pair.job.state().status(0).pid.store(1);  // what a peer writes later does not count
    pair.job.state().status(0).proof_at.store(8);
    CHECK(b->fetch(0, address_of(&word), &copy, 1));
}

TEST_CASE("calls that suit lending have one reader of each value, and enough bytes") {
    using coll::collective;
    auto const suits = [](collective what, int size, std::size_t bytes) {
        return coll::lowering::suits_lending(shape_of(what, size, bytes));
    };
    constexpr std::size_t kib = 1024, mib = 1024 * kib;
    CHECK(suits(collective::all_to_all, 8, 256 * kib));
    CHECK_FALSE(suits(collective::all_to_all, 8, 256 * kib - 8));
    CHECK(suits(collective::all_to_all, 2, 64 * mib));
    CHECK(suits(collective::all_gather, 2, 64 * kib));
    CHECK_FALSE(suits(collective::all_gather, 3, mib));
    CHECK(suits(collective::broadcast, 2, 64 * kib));
    CHECK_FALSE(suits(collective::broadcast, 2, mib));
    CHECK_FALSE(suits(collective::broadcast, 4, 512 * kib));
    CHECK(suits(collective::gather, 4, 128 * kib));
    CHECK_FALSE(suits(collective::scatter, 4, mib));
    CHECK_FALSE(suits(collective::all_reduce, 2, mib));
    CHECK_FALSE(suits(collective::scan, 2, mib));
}

TEST_CASE(
    "a rank asks whether it may lend, and for large blocks of two ranks whether also slowly") {
    using coll::collective;
    namespace lowering = coll::lowering;
    auto const asked_of = [](collective what, int size, std::size_t bytes, bool lends) {
        std::string asked;
        auto const answer = [&](bool slowly) {
            asked += slowly ? "slowly" : "quickly";
            return lends;
        };
        auto const no = [] { return false; };
        auto const none = [] { return std::size_t{0}; };
        auto const scratch = [](coll::plans::protocol) { return std::size_t{0}; };
        lowering::lowered_call const call(coll::ring{}, shape_of(what, size, bytes));
        auto const choice =
            lowering::choose_for_memory(call, {false, false, false, no, none, scratch, answer});
        CHECK((choice.shown.how == coll::plans::protocol::zero_copy) == (lends && !asked.empty()));
        return asked;
    };
    constexpr std::size_t kib = 1024;
    for (bool const lends : {true, false}) {
        CHECK(asked_of(collective::all_gather, 2, 128 * kib, lends) == "slowly");
        CHECK(asked_of(collective::all_gather, 2, 128 * kib - 2, lends) == "quickly");
        CHECK(asked_of(collective::all_to_all, 2, 128 * kib, lends) == "slowly");
        CHECK(asked_of(collective::all_to_all, 3, 384 * kib, lends) == "quickly");
        CHECK(asked_of(collective::broadcast, 2, 256 * kib, lends) == "quickly");
        CHECK(asked_of(collective::gather, 2, 256 * kib, lends) == "quickly");
        CHECK(asked_of(collective::all_reduce, 2, 256 * kib, lends).empty());
    }
}
