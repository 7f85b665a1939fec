// SPDX-License-Identifier: BSD-3-Clause
// What the text says of one algorithm beside its rounds, and how to find the algorithm.
#pragma once

#include <collectives/schedule.hpp>
#include <collectives/schedule/drawing/labels.hpp>
#include <collectives/schedule/drawing/picture_report.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace coll_show {

namespace coll = collectives;
using coll::drawing::counted, coll::drawing::report, coll::drawing::report_of;

/// A mistake in the command line.
using bad_usage = coll::usage_error;

/// `star, tree, ...`
std::string algorithm_list();

/// By name; an unknown one is a `bad_usage` that lists the names.
coll::any_algorithm find_algorithm(std::string const& name);
coll::collective find_collective(std::string const& name);

/// `1 MiB`, `1.5 KiB`, `12 bytes`.
std::string human_bytes(std::size_t bytes);

/// What the proof found, one property a line: whether it has it, its name, what it means.
struct property {
    bool holds;
    std::string name;
    std::string meaning;
};
std::vector<property> properties(report const& shown);

/// What `correct` means here, in a sentence.
std::string proof_means(report const& shown);

/// One line of the cost table. In sequence: in each round those of the busiest rank, over the
/// rounds. The bound of what is sent holds for what is received too in an all_reduce, not
/// elsewhere.
struct cost_line {
    std::string name;
    std::size_t counted;
    std::size_t bound;
    bool has_bound;
};
std::vector<cost_line> cost_lines(report const& shown);

}  // namespace coll_show
