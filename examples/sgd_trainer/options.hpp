// SPDX-License-Identifier: BSD-3-Clause
// The command line.
#pragma once

#include "compare/compare.hpp"
#include "settings.hpp"
#include "studies/studies.hpp"

#include <filesystem>
#include <optional>

namespace trainer {

struct difference {
    std::filesystem::path one, other;
    double tolerance = 0;
};

/// What the program is to do.
struct command {
    enum class what { compare_algorithms, train, infer, study, compare_checkpoints } does{};
    comparison compare;
    settings train;
    bool speed_up = false;  ///< of infer
    difference differ;
    studies::request study;
};

/// Empty where there is nothing to do, as after --help; then `status` is the program's.
std::optional<command> read_command(int argc, char** argv, int& status);

}  // namespace trainer
