// SPDX-License-Identifier: BSD-3-Clause
// What the command line says.
#pragma once

#include "replay.hpp"
#include "schedule.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace pipeline {

struct settings {
    int stages = 4;
    int replicas = 2;
    int micro_batches = 8;
    std::size_t split_size = 16;  // samples of a micro-batch
    std::size_t layers = 12;      // of the whole network
    int steps = 3;
    std::string schedule;  // empty: both
    std::string transport = "threads";
    double backward_time = 2;  // of the replay, where a forward pass takes 1
    double message_time = 0;
    std::string svg;         // empty: no picture
    std::string bubble_svg;  // likewise

    int ranks() const { return stages * replicas; }
    pass_times unit_times() const;
    std::vector<named_schedule> chosen() const;
};

/// Nothing if the program is to end now with `status`.
std::optional<settings> read_command(int argc, char** argv, int& status);

}  // namespace pipeline
