// SPDX-License-Identifier: BSD-3-Clause
// A forked process gets copies of the tensors that lie in shared memory, as it gets of all others:
// it must neither change its parent's nor see what the parent does to them later.
#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace collectives_torch {

[[noreturn]] inline void end_fork(char const* why) {
    static_cast<void>(!::write(STDERR_FILENO, why, std::strlen(why)));
    std::abort();
}

/// Replaces pages that processes share by a copy of what is in them. Only does what a signal's
/// handler may do: other threads of the parent may have held any lock. So it asks the kernel
/// itself: UCX replaces mmap and mremap by functions that take locks, and its mremap drops the new
/// address.
inline void make_private(void* at, std::size_t bytes) {
    auto const copy = ::syscall(SYS_mmap, nullptr, bytes, long{PROT_READ | PROT_WRITE},
                                long{MAP_PRIVATE | MAP_ANONYMOUS}, -1L, 0L);
    if (copy == -1) { end_fork("collectives: no memory for a forked process\n"); }
    std::memcpy(reinterpret_cast<void*>(copy), at, bytes);
    auto const moved =
        ::syscall(SYS_mremap, copy, bytes, bytes, long{MREMAP_MAYMOVE | MREMAP_FIXED}, at);
    if (moved != reinterpret_cast<long>(at)) {
        end_fork("collectives: a forked process cannot map its memory\n");
    }
}

/// Calls `Owner::become_a_fork` in each forked process. The parent waits for that, so that nothing
/// changes meanwhile in the thread that forks, and holds the owner's mutex.
template <class Owner>
class fork_guard {
public:
    static void watch() { ::pthread_atfork(&before, &in_parent, &in_child); }

private:
    static inline std::array<int, 2> pipe_{-1, -1};

    static void before() {
        auto& owner = Owner::of_this_process();
        owner.mutex_.lock();
        pipe_ = {-1, -1};
        if (owner.has_shared_blocks()) { static_cast<void>(::pipe2(pipe_.data(), O_CLOEXEC)); }
    }
    /// The child closes its end once it is done, and so does its death.
    static void in_parent() {
        if (pipe_[0] >= 0) {
            ::close(pipe_[1]);
            char nothing = 0;
            while (::read(pipe_[0], &nothing, 1) < 0 && errno == EINTR) {}
            ::close(pipe_[0]);
        }
        Owner::of_this_process().mutex_.unlock();
    }
    static void in_child() {
        auto& owner = Owner::of_this_process();
        if (pipe_[0] < 0 && owner.has_shared_blocks()) {
            end_fork("collectives: no descriptors for a forked process\n");
        }
        owner.become_a_fork();
        if (pipe_[0] >= 0) {
            ::close(pipe_[0]);
            ::close(pipe_[1]);
        }
        owner.mutex_.unlock();
    }
};

}  // namespace collectives_torch
