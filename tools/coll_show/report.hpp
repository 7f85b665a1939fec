// SPDX-License-Identifier: BSD-3-Clause
// What is shown of one algorithm, collected once and drawn as text, SVG or a page.
#pragma once

#include "simulation.hpp"

#include <collectives/schedule.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace coll_show {

/// One algorithm at one size: its schedules, what they cost, and whether they are right.
struct report {
    std::string name;
    coll::collective what = coll::collective::all_reduce;
    int size = 1;
    coll::rank_t root = 0;
    std::size_t bytes = 0;  ///< of the whole vector of one rank
    std::vector<coll::schedule> schedules;
    coll::proof proof;
    coll::cost cost;

    /// `ring: all_reduce over 4 ranks` and, of a rooted collective, the root.
    std::string title() const;
};

/// A mistake in the command line.
using bad_usage = coll::usage_error;

/// `star, tree, ...`
std::string algorithm_list();

/// By name; an unknown one is a `bad_usage` that lists the names.
coll::any_algorithm find_algorithm(std::string const& name);
coll::collective find_collective(std::string const& name);

/// A root that is no rank is a `bad_usage`.
void require_root(coll::rank_t root, int size);

/// Records, proves and costs an algorithm.
report make_report(coll::any_algorithm algorithm, coll::collective what, int size,
                   coll::rank_t root, std::size_t bytes);

/// `1 chunk`, `4 ranks`.
std::string counted(int n, std::string_view noun);

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
