// SPDX-License-Identifier: BSD-3-Clause
// The two pictures the program draws.
#pragma once

#include <collectives/schedule/trace.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace trainer {

/// What was measured of one algorithm, in multiples of the vector's bytes.
struct measured_point {
    std::string algorithm;
    int ranks = 0;
    double sent = 0;      ///< bytes that the busiest rank sent
    double one_path = 0;  ///< time over links of one rate, times the rate: bytes in sequence
};

/// Bytes against ranks for the four classic algorithms, from their steps, with what was measured.
void draw_bytes_chart(std::filesystem::path const& file, std::span<measured_point const> measured);

/// One all-reduce of the ring as it happened: a lane per rank, an arrow per message.
void draw_timeline(std::filesystem::path const& file,
                   std::span<collectives::trace_event const> events, int ranks,
                   std::string const& subtitle);

}  // namespace trainer
