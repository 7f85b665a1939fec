// SPDX-License-Identifier: BSD-3-Clause
// What every test of faults stands on: how ranks are started, a watchdog, how often to repeat, and
// a count of what must not be left behind.
#pragma once

#include "slowness.hpp"

#include <collectives/collectives.hpp>

#include <doctest/doctest.h>

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace faults {

namespace coll = collectives;
using namespace std::chrono_literals;

/// What each rank does. The ranks share it and call it at once.
using rank_body = std::function<void(coll::communicator&)>;

/// How ranks are started, and what may be expected of them.
struct kind_of_job {
    void (*run)(int size, rank_body const& body);
    bool processes = true;
    /// As many calls a root may be ahead of a reader and still say what it called; by messages it
    /// may get further than it remembers.
    int calls_ahead = 300;
    /// How long what one rank says of a failure may take to the others.
    std::chrono::milliseconds control_time = 0ms;
    /// How long after a death the waiting ranks may be told of it, with nothing else running.
    std::chrono::milliseconds death_time = 50ms;
};
inline constexpr kind_of_job on_threads{
    [](int size, rank_body const& body) { coll::threads::run(size, body); }, false};
inline constexpr kind_of_job on_shm{
    [](int size, rank_body const& body) { coll::shm::run(size, body); }};

/// Of the program: its own file says so. The tests in suites/ are compiled once for all programs.
extern kind_of_job const job;

inline int repeats() {
    char const* const text = std::getenv("COLLECTIVES_TEST_REPEAT");
    return text == nullptr ? 3 : std::atoi(text);
}

/// Ends the program with SIGTERM, which doctest reports with the name of the test, unless it is
/// destroyed in time. Uses no alarm(): the tests of signals need that one.
class watchdog {
public:
    explicit watchdog(std::chrono::seconds time = 30s) {
        ::sigevent how{};
        how.sigev_notify = SIGEV_SIGNAL;
        how.sigev_signo = SIGTERM;
        ::timer_create(CLOCK_MONOTONIC, &how, &timer_);
        ::itimerspec when{};
        when.it_value.tv_sec = time.count();
        ::timer_settime(timer_, 0, &when, nullptr);
    }
    watchdog(watchdog const&) = delete;
    watchdog& operator=(watchdog const&) = delete;
    ~watchdog() { ::timer_delete(timer_); }

private:
    ::timer_t timer_{};
};

inline std::size_t entries(char const* folder) {
    auto const all = std::filesystem::directory_iterator(folder);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// What the kernel says of a process: "S 1 ...", its state and its parent. Empty if there is none.
inline std::string state_of(std::string const& pid) {
    std::ifstream file("/proc/" + pid + "/stat");
    std::string text;
    std::getline(file, text);
    auto const name_ends = text.rfind(')');
    return name_ends == std::string::npos ? "" : text.substr(name_ends + 2);
}
inline bool is_running(int pid) {
    auto const state = state_of(std::to_string(pid));
    return !state.empty() && state[0] != 'Z';
}

/// Processes, running or not yet waited for, whose parent this one is.
inline int children() {
    int n = 0;
    for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
        auto const name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) { continue; }
        auto const state = state_of(name);
        n += !state.empty() && std::atoi(state.c_str() + 2) == ::getpid() ? 1 : 0;
    }
    return n;
}

/// Gives this process, where it may, a /dev/shm of its own: other programs have files there too.
inline void leave_dev_shm_to_others() {
    if (::unshare(CLONE_NEWNS) != 0) { return; }
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) { return; }
    ::mount("none", "/dev/shm", "tmpfs", 0, nullptr);
}

/// What a process holds, before and after.
struct belongings {
    std::size_t descriptors = entries("/proc/self/fd");
    std::size_t threads = entries("/proc/self/task");
    std::size_t shared_files = entries("/dev/shm");
    int children = faults::children();
    friend bool operator==(belongings const&, belongings const&) = default;

    std::string text() const {
        return std::to_string(descriptors) + " descriptors, " + std::to_string(threads) +
               " threads, " + std::to_string(shared_files) + " files in /dev/shm, " +
               std::to_string(children) + " children";
    }
};

/// Checks at its end that nothing is left behind and that the next run works.
class clean_room {
public:
    clean_room() {
        static auto const warm = [] {  // sanitizers start a thread with the first one
            leave_dev_shm_to_others();
            job.run(2, [](coll::communicator& comm) { comm.barrier(); });
            std::this_thread::sleep_for(100ms);  // its threads are still in /proc for a moment
            return true;
        }();
        (void)warm;
        before_ = belongings();
    }
    clean_room(clean_room const&) = delete;
    clean_room& operator=(clean_room const&) = delete;
    ~clean_room() {
        CHECK_NOTHROW(job.run(3, [](coll::communicator& comm) {
            int sum = 1;
            comm.all_reduce(std::span(&sum, 1));
            if (sum != 3) { throw std::logic_error("a wrong sum"); }
        }));
        belongings now;  // a joined thread is still in /proc for a moment
        for (int i = 0; i < 100 && !(now == before_); ++i) {
            std::this_thread::sleep_for(5ms);
            now = belongings();
        }
        CHECK_EQ(now.text(), before_.text());
    }

private:
    belongings before_;
    watchdog guard_;
};

}  // namespace faults
