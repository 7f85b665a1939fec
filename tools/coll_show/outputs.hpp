// SPDX-License-Identifier: BSD-3-Clause
// The report as a picture and as a page.
#pragma once

#include "report.hpp"

#include <string>

namespace coll_show {

struct recorded_trace;

/// Rounds left to right, each a grid of rank x chunk coloured by the share of contributions, with
/// arrows for the transfers between them. Of many rounds a few are drawn; the picture says which.
std::string as_svg(report const& shown);

/// One self-contained page that plays the rounds; with a second algorithm side by side, with a
/// trace also the times at which the steps really ran. Either may be null.
std::string as_page(report const& shown, report const* beside, recorded_trace const* trace);

}  // namespace coll_show
