// SPDX-License-Identifier: BSD-3-Clause
// Another limit of this process, for a while.
#pragma once

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
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

/// Bytes of address space that this process uses: of the heap's also what is free, which grows by
/// whole arenas.
inline ::rlim_t address_space_in_use() {
    std::ifstream file("/proc/self/statm");
    ::rlim_t pages = 0;
    file >> pages;
    return pages * static_cast<::rlim_t>(::sysconf(_SC_PAGESIZE));
}

/// Bytes of the heap that nobody has freed, and what the threads keep for their next small blocks.
inline std::size_t heap_in_use() {
    auto const heap = ::mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

}  // namespace faults
