// SPDX-License-Identifier: BSD-3-Clause
#include "job.hpp"

#include "handover.hpp"
#include "process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace collrun {

namespace {

/// All processes that this one has to answer for: ranks, and what ranks have left behind.
std::vector<pid_t> children() {
    std::ifstream list(fmt::format("/proc/self/task/{}/children", ::getpid()));
    std::vector<pid_t> result;
    for (pid_t pid = 0; list >> pid;) { result.push_back(pid); }
    return result;
}

}  // namespace

job::job(options const& wanted) : wanted_(wanted) {
    ::prctl(PR_SET_CHILD_SUBREAPER,
            1);  // whom a rank leaves behind becomes a child of this process
    sigset_t mine;
    sigemptyset(&mine);
    for (auto const s : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD}) {
        sigaddset(&mine, s);
    }
    ::sigprocmask(SIG_BLOCK, &mine, &old_signals_);
    signals_ = collectives::descriptor(::signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK));
    if (signals_.get() < 0) { throw std::system_error(errno, std::generic_category(), "signalfd"); }
}

job::~job() {
    do { signal_all(SIGKILL); } while (::waitpid(-1, nullptr, 0) > 0);
}

int job::run() {
    if (auto const fault = start_all(); fault != 0) {
        fmt::print(stderr, "collrun: cannot run {}: {}\n", wanted_.command.front(),
                   std::strerror(fault));
        return fault == ENOENT ? 127 : 126;
    }
    while (running()) { step(); }
    patience_.reset();  // a new one for what the ranks have left behind
    if (!children().empty()) { end_all(); }
    while (!children().empty()) { step(); }
    for (auto& o : outputs_) { o.finish(); }
    return failure_.value_or(0);
}

int job::start_all() {
    handover given;
    auto const where = binding::places(wanted_.bound_to, wanted_.ranks);
    for (int r = 0; r < wanted_.ranks; ++r) {
        auto const environment = environment_of(r, wanted_.ranks, given, wanted_.transport);
        std::vector<int> inherited{given.secret.get()};
        if (r == 0) { inherited.push_back(given.door.get()); }
        auto const* const place = where.empty() ? nullptr : &where[static_cast<std::size_t>(r)];
        if (wanted_.report_bindings) {
            fmt::print(stderr, "collrun: rank {} runs on {}\n", r,
                       place != nullptr ? place->name : "any processor");
        }
        auto one = start({r, wanted_.command, environment, std::move(inherited), wanted_.prefix,
                          old_signals_, place});
        if (!one.is_bound) {
            throw std::runtime_error(fmt::format("rank {} cannot be bound to {}: {}", r,
                                                 place->name, std::strerror(one.fault)));
        }
        if (one.fault != 0) { return one.fault; }
        given.door.reset();
        ranks_.push_back({one.pid, false});
        if (wanted_.prefix) {
            outputs_.emplace_back(std::move(one.out), STDOUT_FILENO, r);
            outputs_.emplace_back(std::move(one.err), STDERR_FILENO, r);
        }
    }
    return 0;
}

/// Waits until something has happened, and deals with it.
void job::step() {
    std::vector<pollfd> watched{{signals_.get(), POLLIN, 0}};
    for (auto const& o : outputs_) { watched.push_back({o.get(), POLLIN, 0}); }
    int time = -1;
    if (patience_) {
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(*patience_ - clock::now());
        time = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    ::poll(watched.data(), watched.size(), time);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        if (watched[i + 1].revents != 0) { outputs_[i].pass_on(); }
    }
    hear_signals();
    if (patience_ && clock::now() >= *patience_) {
        signal_all(SIGKILL);
        patience_ = clock::now() + std::chrono::milliseconds(100);
    }
}

void job::hear_signals() {
    signalfd_siginfo heard{};
    while (::read(signals_.get(), &heard, sizeof heard) == sizeof heard) {
        auto const number = static_cast<int>(heard.ssi_signo);
        if (number != SIGCHLD) { pass_signal_on(number, heard.ssi_code == SI_KERNEL); }
    }
    reap();
}

/// What is typed at the terminal goes to its whole group, the ranks included.
void job::pass_signal_on(int signal, bool group_has_it) {
    if (!group_has_it) { signal_all(signal); }
    if (signal == SIGUSR1 || signal == SIGUSR2) { return; }
    auto const again = interrupted_;
    interrupted_ = true;
    if (!patience_ || again) {
        patience_ = clock::now() + (again ? clock::duration() : wanted_.grace);
    }
}

void job::reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            if (ranks_[r].pid == pid && !ranks_[r].ended) {
                ranks_[r].ended = true;
                note_end(static_cast<int>(r), status);
            }
        }
    }
}

void job::note_end(int number, int status) {
    auto const exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (exit_status == 0 || failure_) { return; }
    failure_ = exit_status;
    if (interrupted_) { return; }  // all have been told, and may take their time
    if (!wanted_.quiet) {
        auto const how = WIFSIGNALED(status)
                             ? fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                                           ::strsignal(WTERMSIG(status)))
                             : fmt::format("ended with status {}", exit_status);
        fmt::print(stderr, "collrun: rank {} {}{}\n", number, how,
                   running() ? "; the others are being ended" : "");
    }
    end_all();
}

/// Asks all to end, and makes them after the grace time.
void job::end_all() {
    signal_all(SIGTERM);
    signal_all(SIGCONT);  // who was stopped could not hear it
    if (!patience_) { patience_ = clock::now() + wanted_.grace; }
}

void job::signal_all(int signal) const {
    for (auto const pid : children()) { ::kill(pid, signal); }
    if (!children().empty()) { return; }
    for (auto const& r : ranks_) {  // where the system keeps no list of children
        if (!r.ended) { ::kill(r.pid, signal); }
    }
}

bool job::running() const {
    return std::any_of(ranks_.begin(), ranks_.end(), [](auto const& r) { return !r.ended; });
}

}  // namespace collrun
