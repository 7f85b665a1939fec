// SPDX-License-Identifier: BSD-3-Clause
// Studies: each asks one question of data-parallel training and answers it with tables and plots.
// docs/studies has a page for each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace trainer::studies {

/// What the command line asks for.
struct request {
    std::string name;  ///< of a study, or "all"
    std::filesystem::path output = "build/studies";
    bool quick = false;  ///< a small size, in seconds: what tests run
    std::string data;    ///< as --data of train; empty: the study's own choice
    std::filesystem::path data_path;
};

/// In the order in which "all" runs them.
std::vector<std::string> names();

/// Throws what a study throws.
void run(request const& what);

}  // namespace trainer::studies
