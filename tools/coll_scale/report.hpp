// SPDX-License-Identifier: BSD-3-Clause
// Steps by algorithm, way and number of workers: as tables, as CSV, and as a picture.
#pragma once

#include "step.hpp"

#include <string>
#include <vector>

namespace coll_scale {

/// One that was predicted, or measured, or both.
struct row {
    coll::any_algorithm algorithm;
    int workers = 1;
    way how;
    step predicted;
    double measured = 0;  // seconds; 0: it was not
    double measured_speed_up = 0;
};

/// `resnet50, 161 tensors, 25.6 M floats; ...`.
std::string description(trainer const& t);

/// For each way the speed-ups of all algorithms: predicted (measured).
std::string as_table(std::vector<row> const& rows);

/// The ways of one number of workers, as a table in Markdown: milliseconds for the samples of one
/// worker's step, and how that compares with one worker.
std::string as_cures(trainer const& t, std::vector<row> const& rows);

std::string as_csv(trainer const& t, std::vector<row> const& rows);

/// Speed-up against workers: without and with fusion side by side, with overlap below.
std::string as_picture(trainer const& t, std::vector<row> const& rows);

}  // namespace coll_scale
