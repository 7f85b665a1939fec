// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a job, from their start until nothing is left of them.
#pragma once

#include "options.hpp"
#include "output.hpp"

#include <collectives/core/descriptor.hpp>

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <vector>

namespace collrun {

class job {
public:
    /// From here on this process gets its signals from the job, which knows what they mean. Throws
    /// std::system_error for what the system refuses.
    explicit job(options const& wanted);
    job(job const&) = delete;
    job& operator=(job const&) = delete;
    /// Ends what still runs.
    ~job();

    /// Starts the ranks and waits for them; gives the status to exit with.
    int run();

private:
    using clock = std::chrono::steady_clock;

    struct rank {
        pid_t pid = 0;
        bool ended = false;
    };

    /// 0, or the errno of a program that cannot be run.
    int start_all();
    void step();
    void hear_signals();
    void pass_signal_on(int signal, bool group_has_it);
    void reap();
    void note_end(int number, int status);
    void end_all();
    void signal_all(int signal) const;
    bool running() const;

    options wanted_;
    sigset_t old_signals_{};
    collectives::descriptor signals_;
    std::vector<rank> ranks_;
    std::vector<output> outputs_;
    std::optional<int> failure_;  // the exit status of the rank that failed first
    bool interrupted_ = false;
    std::optional<clock::time_point> patience_;  // until SIGKILL, once the job is being ended
};

}  // namespace collrun
