// SPDX-License-Identifier: BSD-3-Clause
// Another limit of this process, for a while.
#pragma once

#include <malloc.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

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

/// A control group of version 1 or 2 with little memory, where this process may make one.
class memory_group {
public:
    explicit memory_group(std::size_t bytes) {
        namespace fs = std::filesystem;
        auto const name = "collectives-" + std::to_string(::getpid());
        for (fs::path const parent : {"/sys/fs/cgroup/memory", "/sys/fs/cgroup"}) {
            std::error_code refused;
            if (!fs::create_directory(parent / name, refused)) { continue; }
            path_ = parent / name;
            for (auto const* const file : {"memory.limit_in_bytes", "memory.max"}) {
                if (fs::exists(*path_ / file)) {
                    std::ofstream(*path_ / file) << bytes;
                    return;
                }
            }
            leave();
        }
    }
    memory_group(memory_group const&) = delete;
    memory_group& operator=(memory_group const&) = delete;
    ~memory_group() { leave(); }

    /// Puts this process into it. False where there is none.
    bool enter() const {
        return path_ && (std::ofstream(*path_ / "cgroup.procs") << ::getpid() << std::flush).good();
    }

private:
    /// A process that has ended is in its group for a moment longer.
    void leave() {
        for (int i = 0; i < 100 && path_; ++i) {
            if (::rmdir(path_->c_str()) == 0) { path_.reset(); }
            if (path_) { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }
        }
    }

    std::optional<std::filesystem::path> path_;
};

/// Puts full file systems in the place of these folders, for this process and those that it starts.
/// False where it may not.
inline bool fill(std::vector<std::string> const& folders) {
    if (::unshare(CLONE_NEWNS) != 0) { return false; }
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) { return false; }
    for (auto const& folder : folders) {
        if (::mount("none", folder.c_str(), "tmpfs", 0, "size=4k") != 0) { return false; }
        std::ofstream(folder + "/full") << std::string(64 << 10, 'x');
    }
    return true;
}

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
