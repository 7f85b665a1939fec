// SPDX-License-Identifier: BSD-3-Clause
// The command line.
#pragma once

#include "data.hpp"
#include "settings.hpp"
#include "studies/studies.hpp"

#include <filesystem>
#include <optional>

namespace trainer {

/// The comparison of all algorithms, which is what runs without a subcommand.
struct comparison {
    int ranks = 4;
    int epochs = 30;
    double rate = 2e6;  ///< bytes per second of a slow link
    transport where = transport::processes;
    std::filesystem::path data = own_digits();
    std::filesystem::path output = "build/demo";
};

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
