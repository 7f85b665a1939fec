// SPDX-License-Identifier: BSD-3-Clause
// Small facts that the system keeps in files and limits.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>

namespace collectives::inline v0::detail {

/// The start of a file, with a 0 behind it. Empty if the file cannot be read.
template <std::size_t Room>
[[gnu::cold]] std::array<char, Room> start_of_file(char const* path) {
    std::array<char, Room> text{};
    if (auto* const file = std::fopen(path, "r")) {
        static_cast<void>(std::fread(text.data(), 1, Room - 1, file));
        std::fclose(file);
    }
    return text;
}

/// A text that differs between machines, and from one start of a machine to the next.
[[gnu::cold]] inline std::array<char, 256> name_of_machine() {
    auto text = start_of_file<256>("/proc/sys/kernel/random/boot_id");
    if (text[0] == '\0') { ::gethostname(text.data(), text.size() - 1); }
    return text;
}

/// Whether a file may have so many bytes. The kernel ends a process by a signal if it goes beyond
/// its limit (ulimit -f).
[[gnu::cold]] inline bool may_have_bytes(std::size_t bytes) {
    ::rlimit most{};
    return ::getrlimit(RLIMIT_FSIZE, &most) != 0 || bytes <= most.rlim_cur;
}

}  // namespace collectives::detail
