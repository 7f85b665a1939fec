// SPDX-License-Identifier: BSD-3-Clause
// The thread that makes progress for a process: no handler of the program runs on it, and it is not
// bound to the core of the rank that started it.
#include <collectives/run/progress_thread.hpp>

#include <doctest/doctest.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <future>
#include <thread>

using collectives::detail::progress_thread;

namespace {

struct circumstances {
    ::sigset_t blocked{};
    ::cpu_set_t processors{};

    static circumstances of_this_thread() {
        circumstances now;
        ::pthread_sigmask(SIG_SETMASK, nullptr, &now.blocked);
        ::sched_getaffinity(0, sizeof now.processors, &now.processors);
        return now;
    }
};

/// Reads the settings of the process's thread. A thread on one processor, which takes all signals,
/// starts it.
circumstances of_thread_of_process() {
    std::promise<circumstances> seen;
    auto const look = [](void* of) {
        static_cast<std::promise<circumstances>*>(of)->set_value(circumstances::of_this_thread());
        return progress_thread::found::nothing_to_do;
    };
    circumstances result;
    std::thread([&] {
        ::cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
        ::sched_setaffinity(0, sizeof one, &one);
        ::sigset_t none;
        ::sigemptyset(&none);
        ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
        auto* const thread = progress_thread::of_process();
        thread->add({&seen, look});
        thread->wake();
        result = seen.get_future().get();
        thread->remove(&seen);
        progress_thread::drop(thread);

        auto const after = circumstances::of_this_thread();
        CHECK(CPU_EQUAL(&after.processors, &one));
        CHECK(::sigisemptyset(&after.blocked) == 1);
    }).join();
    return result;
}

}  // namespace

TEST_CASE("the thread of a process takes no signals but those of its own instructions") {
    auto const its = of_thread_of_process();
    for (int const s : {SIGTERM, SIGINT, SIGALRM, SIGUSR1, SIGUSR2, SIGCHLD, SIGPIPE, SIGRTMIN}) {
        CAPTURE(s);
        CHECK(::sigismember(&its.blocked, s) == 1);
    }
    for (int const s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        CAPTURE(s);
        CHECK(::sigismember(&its.blocked, s) == 0);
    }
}

TEST_CASE("the thread of a process runs where the process may") {
    ::cpu_set_t of_process;
    REQUIRE(::sched_getaffinity(::getpid(), sizeof of_process, &of_process) == 0);
    auto const its = of_thread_of_process();
    CHECK(CPU_EQUAL(&its.processors, &of_process));
}
