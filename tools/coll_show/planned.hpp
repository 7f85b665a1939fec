// SPDX-License-Identifier: BSD-3-Clause
// The plans of all ranks under one protocol: what really travels, and where it is staged.
#pragma once

#include "report.hpp"

#include <collectives/plan/check_plan.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace coll_show {

namespace plans = coll::plans;

/// Which plans to show.
struct plan_question {
    std::string protocol;
    bool in_place = false;
    bool lent = false;
    std::size_t bytes = 0;  ///< of one rank's vector of 4-byte elements
};

/// What a rank's plan moves, in bytes.
struct plan_traffic {
    std::size_t read = 0;     ///< from peers' memory
    std::size_t written = 0;  ///< to peers' outputs
    std::size_t sent = 0, received = 0;
    std::size_t staged = 0;  ///< written to its own scratch or cell
    std::size_t scratch = 0;
};

struct plan_report {
    std::string title;
    std::vector<plans::plan> ranks;  ///< without symbols
    std::vector<plan_traffic> traffic;
    plans::plan_verdict proof;
    int calls = 0;             ///< in a row, that the proof is about
    std::size_t elements = 0;  ///< of each of these
};

/// Lowers and proves. A protocol that does not exist, or does not suit the call, is a `bad_usage`.
plan_report make_plan_report(coll::any_algorithm algorithm, coll::collective what, int size,
                             coll::rank_t root, plan_question const& of);

/// `input`, `rank 3's scratch + 64 KiB`; what a message brings is `from rank 3`.
std::string place_text(plans::plan const& p, plans::place const& at);
/// `reduce 256 KiB`, `wait for rank 3: come 0`.
std::string headline(plans::plan const& p, plans::instruction const& i);
/// What a copy, reduction or message reads and writes: `output <- input + rank 3's input`.
std::string operands(plans::plan const& p, plans::instruction const& i);

std::string as_text(plan_report const& shown);
/// A column per rank, time downwards; arrows from where values are published to who reads them.
std::string as_svg(plan_report const& shown);

}  // namespace coll_show
