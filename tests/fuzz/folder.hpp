// SPDX-License-Identifier: BSD-3-Clause
// A folder for the files that a fuzzer makes up.
#pragma once

#include "bytes.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace fuzz {

/// A folder of this process. It is removed when the object goes.
struct folder {
    folder() {
        std::string name = std::filesystem::temp_directory_path() / "collectives-fuzz-XXXXXX";
        require(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    folder(folder const&) = delete;
    folder& operator=(folder const&) = delete;
    ~folder() { std::filesystem::remove_all(path); }

    std::filesystem::path path;
};

}  // namespace fuzz
