// SPDX-License-Identifier: BSD-3-Clause
// The report as text: partial sums round by round, cost beside the bounds, the proof.
#pragma once

#include "report.hpp"

#include <string>

namespace coll_show {

/// How to write the text.
struct text_style {
    int width = 150;      ///< columns a table may take before its cells are shortened or left out
    int most_ranks = 16;  ///< ranks the tables may have before rounds are summarised
    bool full = false;    ///< never shorten
    bool color = false;   ///< ANSI colours
};

/// The whole report. `beside`, if not null, is a second algorithm whose cost stands beside.
std::string as_text(report const& shown, report const* beside, text_style const& style);

/// The table of partial sums, in full, with counts, or summarised, whichever fits the style.
std::string rounds_as_text(report const& shown, text_style const& style);

/// Counted cost beside the lower bounds, then bytes per rank.
std::string cost_as_text(report const& shown, report const* beside, text_style const& style);

/// The verdict and what follows from it.
std::string proof_as_text(report const& shown);

}  // namespace coll_show
