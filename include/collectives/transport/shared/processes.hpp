// SPDX-License-Identifier: BSD-3-Clause
// Watches the processes of a job's ranks, where nobody else does.
#pragma once

#include <collectives/core/descriptor.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/transport/shared/state.hpp>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace collectives::inline v0::shared {

/// The processes of all ranks, made once all have their numbers. Descriptors stand for them,
/// because the kernel gives the number of a process that has ended to another one.
class processes {
public:
    explicit processes(state job) : job_(job), all_(static_cast<std::size_t>(job.size())) {
        for (rank_t r = 0; r < job.size(); ++r) { look_after(r); }
    }

    /// Notes it if the process of a rank has ended that has not gone yet.
    void look_after(rank_t r) {
        auto const& s = job_.status(r);
        if (s.state.load(std::memory_order_acquire) > life::running) { return; }
        auto& its = all_[static_cast<std::size_t>(r)];
        if (its.get() < 0) {  // the first time, or no descriptor was left
            auto const pid = s.pid.load(std::memory_order_relaxed);
            its = descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
        }
        if (its.get() < 0 ? errno == ESRCH : has_ended(its.get())) {
            job_.depart(r, life::died, 0);
        }
    }

private:
    /// False also where the program has closed the descriptor, or its number is another file's.
    static bool has_ended(int process) {
        pollfd ended{process, POLLIN, 0};
        return ::poll(&ended, 1, 0) == 1 && (ended.revents & POLLIN) != 0 &&
               (::syscall(SYS_pidfd_send_signal, process, 0, nullptr, 0) == 0 || errno == ESRCH);
    }

    state job_;
    lean_vector<descriptor> all_;
};

}  // namespace collectives::shared
