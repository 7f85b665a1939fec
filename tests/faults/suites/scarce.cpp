// SPDX-License-Identifier: BSD-3-Clause
// A system that lacks something from the start: the job works all the same, or every rank is told.
#include <faults/limits.hpp>
#include <faults/observed.hpp>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <vector>

namespace faults {

namespace {

/// Refuses the system calls by which processes read each other's memory, in this process and those
/// that it starts. False where there is no such filter.
bool forbid_reading_others() {
#if defined(__x86_64__)
    ::sock_filter rules[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(::seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SYS_process_vm_readv},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_process_vm_writev},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | 1},  // EPERM
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    ::sock_fprog const filter{static_cast<unsigned short>(std::size(rules)), rules};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
#else
    return false;
#endif
}

void use_much_memory(coll::communicator& comm) {
    auto reachable = comm.allocate<int>(std::size_t{1} << 20);
    std::vector<int> own(300'000);
    for (auto const data :
         {std::span<int>(reachable), std::span<int>(own), std::span<int>(own).first(3)}) {
        std::fill(data.begin(), data.end(), 1);
        comm.all_reduce(data);
        if (std::count(data.begin(), data.end(), 3) != std::ssize(data)) {
            throw std::logic_error("a wrong sum");
        }
    }
}

/// Three ranks work after `take`, in a process of its own.
void check_job_after(std::function<bool()> const& take) {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        shared_array<observation> of(1);
        auto const pid = ::fork();
        if (pid == 0) {
            if (take()) {
                observe(of[0], [] { job.run(3, use_much_memory); });
            } else {
                of[0].note(outcome::foreign, "this process may not do that to itself");
            }
            ::_exit(0);
        }
        int status = -1;
        ::waitpid(pid, &status, 0);
        CHECK_EQ(status, 0);
        if (of[0].says("may not do that")) {
            MESSAGE("skipped: ", of[0].what());
            return;
        }
        CAPTURE(of[0].what());
        // UCX may be left without a way.
        auto const refused = of[0].caught == outcome::run && of[0].says("ucp_worker_create: ");
        CHECK((of[0].caught == outcome::result || refused));
    }
}

}  // namespace

TEST_CASE("the file system for shared memory is full") {
    check_job_after([] { return fill({"/dev/shm"}); });
}

TEST_CASE("a container forbids to read other processes' memory" * doctest::skip(slowness > 1)) {
    check_job_after(forbid_reading_others);
}

}  // namespace faults
