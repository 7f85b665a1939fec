// SPDX-License-Identifier: BSD-3-Clause
// The report as text: partial sums round by round, cost beside the bounds, the proof.
#pragma once

#include "report.hpp"

#include <collectives/schedule/drawing/text_style.hpp>

#include <string>

namespace coll_show {

using coll::text_style;

/// The whole report. `beside`, if not null, is a second algorithm whose cost stands beside.
std::string as_text(report const& shown, report const* beside, text_style const& style);

/// Counted cost beside the lower bounds, then bytes per rank.
std::string cost_as_text(report const& shown, report const* beside, text_style const& style);

/// The verdict and what follows from it.
std::string proof_as_text(report const& shown);

}  // namespace coll_show
