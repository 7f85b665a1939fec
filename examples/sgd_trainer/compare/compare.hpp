// SPDX-License-Identifier: BSD-3-Clause
// Trains on the digits with every all-reduce algorithm, and shows what each costs: counted, timed
// and drawn.
#pragma once

#include "../data.hpp"
#include "../settings.hpp"

#include <filesystem>

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

/// Prints and draws. True if all its checks hold.
bool compare_algorithms(comparison const& o);

}  // namespace trainer
