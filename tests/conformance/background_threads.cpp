// SPDX-License-Identifier: BSD-3-Clause
// Calls that go on in the background: one thread carries on those of all ranks and communicators of
// a process, and sleeps while there are none.
#include <collectives/collectives.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace coll = collectives;
using namespace std::chrono_literals;

namespace {

std::set<std::string> threads_of_this_process() {
    std::set<std::string> all;
    for (auto const& t : std::filesystem::directory_iterator("/proc/self/task")) {
        all.insert(t.path().filename().string());
    }
    return all;
}

/// How often a thread has begun to sleep or wait, as text.
std::string sleeps_of(std::string const& thread) {
    std::ifstream file("/proc/self/task/" + thread + "/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("voluntary_ctxt_switches")) { return line; }
    }
    return {};
}

/// The threads that have come since.
std::set<std::string> new_threads(std::set<std::string> const& before) {
    std::set<std::string> fresh;
    for (auto const& t : threads_of_this_process()) {
        if (!before.contains(t)) { fresh.insert(t); }
    }
    return fresh;
}

constexpr coll::options by_itself{.progress = coll::background};
constexpr int ranks = 4;

}  // namespace

TEST_CASE("one thread carries on the calls of all ranks and communicators") {
    std::thread([] {}).join();  // the sanitizer of threads then has its own one, too
    auto const at_first = threads_of_this_process();
    std::set<std::string> before, during;
    coll::threads::run(ranks, [&](coll::communicator& comm) {
        auto half = comm.split(comm.rank() / 2);
        auto other_half = comm.split(comm.rank() % 2);
        comm.barrier();
        if (comm.rank() == 0) { before = threads_of_this_process(); }
        comm.barrier();
        std::vector<int> a(50'000, 1), b(50'000, 1), c(50'000, 1);
        for (int turn = 0; turn < 20; ++turn) {
            auto first = half.start_all_reduce(a, coll::max{}, by_itself);
            auto second = other_half.start_all_reduce(b, coll::max{}, by_itself);
            auto third = comm.start_all_reduce(c, coll::max{}, by_itself);
            coll::wait_all(first, second, third);
        }
        comm.barrier();
        if (comm.rank() == 0) { during = new_threads(before); }
        comm.barrier();
        if (a[7] + b[7] + c[7] != 3) { throw std::runtime_error("a wrong maximum"); }
    });
    CHECK(during.size() == 1);
    for (int i = 0; i < 100 && !new_threads(at_first).empty(); ++i) {
        std::this_thread::sleep_for(10ms);  // one that was joined may still be listed
    }
    CHECK(new_threads(at_first).empty());
}

TEST_CASE("the thread sleeps while it has nothing to move, and wakes when it has") {
    std::string then = "?", later = "!";
    coll::threads::run(2, [&](coll::communicator& comm) {
        comm.barrier();
        auto const before = threads_of_this_process();
        comm.barrier();
        std::vector<int> v(10, 1);
        auto const reduce = [&] {
            auto call = comm.start_all_reduce(v, coll::max{}, by_itself);
            std::this_thread::sleep_for(5ms);
            call.wait();
        };
        reduce();
        comm.barrier();
        if (comm.rank() == 0) {
            auto const fresh = new_threads(before);
            if (fresh.size() != 1) { throw std::runtime_error("not one thread more"); }
            for (int tries = 0; tries < 50 && then != later; ++tries) {  // it may be ending a nap
                then = sleeps_of(*fresh.begin());
                std::this_thread::sleep_for(50ms);
                later = sleeps_of(*fresh.begin());
            }
        }
        comm.barrier();
        reduce();
        comm.barrier();
    });
    CHECK_FALSE(later.empty());
    CHECK(then == later);
}

TEST_CASE("a communicator may go while others' calls are under way") {
    for (int turn = 0; turn < 50; ++turn) {
        coll::threads::run(3, [](coll::communicator& comm) {
            std::vector<int> v(1000, comm.rank()), w(10, comm.rank());
            auto call = comm.start_all_reduce(v, coll::sum{}, by_itself);
            {
                auto group = comm.split(0);
                group.start_all_reduce(w, coll::sum{}, by_itself).wait();
            }
            call.wait();
            if (v[5] != 3 || w[5] != 3) { throw std::runtime_error("a wrong sum"); }
        });
    }
}
