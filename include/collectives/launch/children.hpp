// SPDX-License-Identifier: BSD-3-Clause
// Starts the ranks of a job as child processes, watches them, and reports a death to the others.
#pragma once

#include <collectives/core/descriptor.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/transport/shared/processes.hpp>
#include <collectives/transport/shared/state.hpp>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

namespace collectives::inline v0::shm {

class children {
public:
    explicit children(shared::state const& state) : state_(state) {}
    children(children const&) = delete;
    children& operator=(children const&) = delete;
    ~children() {
        for (auto const& c : all_) {
            if (c.ended) { continue; }
            ::kill(c.pid, SIGKILL);
            ::waitpid(c.pid, nullptr, 0);
        }
    }

    /// Forks rank r, which ends with the status that `live()` returns. It dies with its parent.
    template <class Live>
    void start(rank_t r, Live&& live) {
        std::fflush(nullptr);
        auto const parent = ::getpid();
        auto const pid = ::fork();
        if (pid < 0) {
            throw_error<transport_error>("fork of rank ", r, ": ", std::strerror(errno));
        }
        if (pid == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() != parent) { ::_exit(1); }
            // The child stores this itself: peers may read it before the parent runs again.
            state_.status(r).pid.store(::getpid());
            auto const status = live();
            std::fflush(nullptr);
            ::_exit(status);
        }
        auto its = shared::descriptor_of(pid);
        auto const is_watched = its.get() >= 0;
        all_.push_back({r, pid, std::move(its)});
        if (!is_watched) {
            throw_error<transport_error>("pidfd_open of rank ", r, ": ", std::strerror(errno));
        }
        auto expected = shared::life::expected;  // the rank may already have left
        state_.status(r).state.compare_exchange_strong(expected, shared::life::running);
    }

    /// Returns when all have ended. Throws run_error for the one that failed first.
    void wait() {
        auto limit = steady::time_point::max();
        lean_vector<pollfd> watched;
        for (;;) {
            watched.clear();
            for (auto const& c : all_) {
                if (!c.ended) { watched.push_back({c.process.get(), POLLIN, 0}); }
            }
            if (watched.empty()) { break; }
            auto const failed = state_.header().failures.load() != 0 &&
                                state_.header().going_on.load() == 0;  // the others live on
            if (failed && limit == steady::time_point::max()) { limit = steady::now() + grace; }
            auto const left = std::chrono::ceil<std::chrono::milliseconds>(limit - steady::now());
            if (failed && left.count() <= 0) {
                for (auto const& c : all_) {
                    if (!c.ended) { ::kill(c.pid, SIGKILL); }
                }
            }
            // A failure of a rank that lives on does not wake this wait; look every second.
            ::poll(watched.data(), watched.size(),
                   failed && left.count() > 0 ? static_cast<int>(left.count()) : 1000);
            for (auto& c : all_) {
                if (!c.ended) { reap(c); }
            }
        }
        raise_first();
    }

private:
    static constexpr std::chrono::seconds grace{5};

    struct child {
        rank_t rank = 0;
        pid_t pid = 0;
        descriptor process;
        bool ended = false;
        int exit_status = -1;
        int signal = 0;
    };

    void reap(child& c) {
        int status = 0;
        if (::waitpid(c.pid, &status, WNOHANG) != c.pid) { return; }
        c.ended = true;
        c.process.reset();
        if (WIFEXITED(status)) { c.exit_status = WEXITSTATUS(status); }
        if (WIFSIGNALED(status)) { c.signal = WTERMSIG(status); }
        auto const has_reported = state_.status(c.rank).state.load() == shared::life::left;
        if (has_reported) { return; }
        state_.note_failure(c.rank);
        state_.depart(c.rank, c.signal != 0 ? shared::life::died : shared::life::left, c.signal);
    }

    void raise_first() const {
        child const* first = nullptr;
        for (auto const& c : all_) {
            auto const failed = state_.status(c.rank).failed.load() != 0;
            if (failed && (first == nullptr || state_.failed_before(c.rank, first->rank))) {
                first = &c;
            }
        }
        if (first == nullptr) { return; }
        auto const rank = text_of("rank ", first->rank);
        auto const& text = state_.report_of(first->rank).text;
        std::string_view const report(text.data(), ::strnlen(text.data(), text.size()));
        auto const how = first->signal != 0 ? text_of(" was ended by signal ", first->signal, " (",
                                                      ::strsignal(first->signal), ")")
                         : !report.empty()
                             ? text_of(" threw: ", report)
                             : text_of(" ended its process with status ", first->exit_status);
        throw run_error(rank + how, first->rank, first->exit_status, first->signal);
    }

    shared::state state_;
    lean_vector<child> all_;
};

}  // namespace collectives::shm
