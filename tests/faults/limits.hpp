// SPDX-License-Identifier: BSD-3-Clause
// Another limit of this process, for a while.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace faults {

/// Another limit of this process while it lives. Not to be had with sanitizers, which open
/// descriptors and take address space themselves.
class limited {
public:
    limited(decltype(RLIMIT_NOFILE) what, ::rlim_t most) : what_(what) {
        ::getrlimit(what_, &before_);
        ::rlimit const now{most, before_.rlim_max};
        ::setrlimit(what_, &now);
    }
    limited(limited const&) = delete;
    limited& operator=(limited const&) = delete;
    ~limited() { ::setrlimit(what_, &before_); }

private:
    decltype(RLIMIT_NOFILE) what_;
    ::rlimit before_{};
};

/// Bytes of address space that this process uses.
inline ::rlim_t memory_in_use() {
    std::ifstream file("/proc/self/statm");
    ::rlim_t pages = 0;
    file >> pages;
    return pages * static_cast<::rlim_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace faults
