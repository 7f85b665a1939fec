// SPDX-License-Identifier: BSD-3-Clause
// A directory for flight records.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace faults {

/// A directory for reports, and the variable that names it, while it lives.
class report_folder {
public:
    report_folder()
        : path_(std::filesystem::temp_directory_path() /
                ("flights-" + std::to_string(::getpid()))) {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directory(path_);
        ::setenv("COLLECTIVES_REPORT", path_.c_str(), 1);
    }
    report_folder(report_folder const&) = delete;
    report_folder& operator=(report_folder const&) = delete;
    ~report_folder() {
        ::unsetenv("COLLECTIVES_REPORT");
        std::filesystem::remove_all(path_);
    }

    /// The files of a rank on the communicator of all.
    std::vector<std::string> of(int rank) const {
        std::vector<std::string> result;
        auto const start = "flight-1-rank" + std::to_string(rank) + "-pid";
        for (auto const& entry : std::filesystem::directory_iterator(path_)) {
            if (entry.path().filename().string().rfind(start, 0) != 0) { continue; }
            std::ifstream file(entry.path());
            result.emplace_back(std::istreambuf_iterator<char>(file),
                                std::istreambuf_iterator<char>());
        }
        return result;
    }
    std::filesystem::path const& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace faults
