// SPDX-License-Identifier: BSD-3-Clause
// Watches the processes of a job's ranks, where nobody else does.
#pragma once

#include <collectives/core/descriptor.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/without_cancellation.hpp>
#include <collectives/transport/shared/state.hpp>

#include <poll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace collectives::inline v0::shared {

/// A descriptor stands for a process, also when the kernel has given its number to another one. It
/// is empty, with errno, if there is no such process or no descriptor is left.
inline descriptor descriptor_of(pid_t process) {
    return descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
}
/// Whether the process has ended that a descriptor stands for. False also where the program has
/// closed the descriptor, or has reused its number for another file.
inline bool has_ended(descriptor const& process) {
    pollfd ended{process.get(), POLLIN, 0};
    return ::poll(&ended, 1, 0) == 1 && (ended.revents & POLLIN) != 0 &&
           (::syscall(SYS_pidfd_send_signal, process.get(), 0, nullptr, 0) == 0 || errno == ESRCH);
}

/// The same of a process whose descriptor is taken here: now, or later if none is left now.
[[gnu::cold]] inline bool has_ended(descriptor& its, pid_t process) {
    detail::without_cancellation const until_end;
    if (its.get() < 0) { its = descriptor_of(process); }
    return its.get() < 0 ? errno == ESRCH : has_ended(its);
}

/// The processes of all ranks, made once all have their numbers.
class processes {
public:
    explicit processes(state const& job) : job_(job), all_(static_cast<std::size_t>(job.size())) {
        for (rank_t r = 0; r < job.size(); ++r) { look_after(r); }
    }

    /// Notes it if the process of a rank has ended that has not gone yet.
    void look_after(rank_t r) {
        auto const& s = job_.status(r);
        if (s.state.load(std::memory_order_acquire) > life::running) { return; }
        auto& its = all_[static_cast<std::size_t>(r)];
        if (has_ended(its, s.pid.load(std::memory_order_relaxed))) {
            job_.depart(r, life::died, 0);
        }
    }

private:
    state job_;
    lean_vector<descriptor> all_;
};

}  // namespace collectives::shared
