// SPDX-License-Identifier: BSD-3-Clause
// How much memory a job takes.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>

namespace conformance {

/// Bytes that the memory files of this process take of the machine's memory.
inline std::size_t memory_of_files() {
    std::size_t sum = 0;
    for (auto const& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        auto const target = std::filesystem::read_symlink(entry.path(), gone).string();
        struct ::stat status {};
        if (target.find("memfd:collectives") != target.npos &&
            ::stat(entry.path().c_str(), &status) == 0) {
            sum += static_cast<std::size_t>(status.st_blocks) * 512;
        }
    }
    return sum;
}

}  // namespace conformance
