// SPDX-License-Identifier: BSD-3-Clause
// Threads of the library's own, beside those of the program.
#pragma once

#include <collectives/core/processors.hpp>

#include <signal.h>
#include <unistd.h>

#include <thread>
#include <utility>

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

/// Starts a thread that takes no signals.
template <class Body>
std::thread service_thread(Body body) {
    without_signals const none;
    return std::thread(std::move(body));
}

/// Lets a thread run where the process may (its main thread), wherever the one that started it is
/// pinned.
[[gnu::cold]] inline void run_where_process_may(std::thread& t) {
    auto const its = processor_set::of(::getpid());
    if (its.count() != 0) { its.bind(t.native_handle()); }
}

}  // namespace collectives::detail
