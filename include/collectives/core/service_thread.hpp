// SPDX-License-Identifier: BSD-3-Clause
// Threads of the library's own, beside those of the program.
#pragma once

#include <collectives/core/processors.hpp>

#include <signal.h>
#include <unistd.h>

#include <thread>

namespace collectives::inline v0::detail {

/// As long as it lives, this thread and those that it starts take no signals: the program's
/// handlers run on the program's own threads. Only what an instruction raises is left, since no
/// other thread could take that.
class without_signals {
public:
    [[gnu::cold]] without_signals() {
        ::sigset_t most;
        ::sigfillset(&most);
        for (int const s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
            ::sigdelset(&most, s);
        }
        ::pthread_sigmask(SIG_SETMASK, &most, &before_);
    }
    without_signals(without_signals const&) = delete;
    without_signals& operator=(without_signals const&) = delete;
    [[gnu::cold]] ~without_signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    ::sigset_t before_;
};

/// Starts a thread that calls `work(its)`. One function for all, since each type that a std::thread
/// is made of costs the compiler some twenty classes.
[[gnu::cold]] inline std::thread start_thread(void (*work)(void* its), void* its) {
    return std::thread(work, its);
}
/// The same for a thread that takes no signals.
[[gnu::cold]] inline std::thread service_thread(void (*work)(void* its), void* its) {
    without_signals const none;
    return start_thread(work, its);
}

/// Lets a thread run where the process may (its main thread), wherever the one that started it is
/// pinned.
[[gnu::cold]] inline void run_where_process_may(std::thread& t) {
    auto const its = processor_set::of(::getpid());
    if (its.count() != 0) { its.bind(t.native_handle()); }
}

}  // namespace collectives::detail
