// SPDX-License-Identifier: BSD-3-Clause
// On which processors threads may run.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace collectives::inline v0 {

/// Some processors of a machine. It has room for all that Linux can be built for, 8,192. A
/// cpu_set_t alone holds 1,024, and the system refuses it where there may be more.
class processor_set {
public:
    static constexpr std::size_t most = 8 * CPU_SETSIZE;
    /// The processors on which a thread may run, by its number; 0 is the calling thread. The set is
    /// empty where the system does not say.
    [[gnu::cold]] static processor_set of(pid_t thread) {
        processor_set its;
        // What fails has written nothing.
        static_cast<void>(::sched_getaffinity(thread, sizeof its.part_, its.part_.data()));
        return its;
    }
    int count() const { return CPU_COUNT_S(sizeof part_, part_.data()); }
    bool has(std::size_t processor) const {
        return CPU_ISSET_S(processor, sizeof part_, part_.data());
    }
    /// Whether it has all of `other`.
    bool has(processor_set const& other) const {
        auto both = *this;
        both.add(other);
        return both == *this;
    }
    bool operator==(processor_set const& other) const {
        return CPU_EQUAL_S(sizeof part_, part_.data(), other.part_.data());
    }
    void add(std::size_t processor) { CPU_SET_S(processor, sizeof part_, part_.data()); }
    void add(processor_set const& other) {
        CPU_OR_S(sizeof part_, part_.data(), part_.data(), other.part_.data());
    }
    /// Lets a thread run on these. False where the system refuses.
    bool bind(pthread_t thread) const {
        return ::pthread_setaffinity_np(thread, sizeof part_, part_.data()) == 0;
    }

private:
    std::array<cpu_set_t, most / CPU_SETSIZE> part_{};
};

/// The processors on which this thread may run. A thread that is bound to a core sees one.
[[gnu::cold]] inline int usable_processors() {
    auto const mine = processor_set::of(0).count();
    return mine != 0 ? mine : static_cast<int>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

}  // namespace collectives
