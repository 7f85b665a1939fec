// SPDX-License-Identifier: BSD-3-Clause
// What computes here.
#pragma once

#include <fstream>
#include <string>

namespace tools {

/// As the kernel calls it.
inline std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        auto const colon = line.find(": ");
        if (line.starts_with("model name") && colon != line.npos) { return line.substr(colon + 2); }
    }
    return "unknown";
}

}  // namespace tools
