// SPDX-License-Identifier: BSD-3-Clause
// The report as a page.
#pragma once

#include "report.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace coll_show {

struct recorded_trace;

/// The explorer, opened at this algorithm: one self-contained page. With a second algorithm side by
/// side, with a trace also the times at which the steps really ran; either may be null. Of an
/// algorithm that is not the library's, the page gets the steps, and the text of the `loaded`
/// files. A bad_usage beyond 256 ranks, or if the tool was built without the page.
std::string as_page(report const& shown, report const* beside, recorded_trace const* trace,
                    std::vector<std::string> const& loaded);

/// The text of explorer.html; empty in a tool that was built without it.
std::string_view explorer_page();

}  // namespace coll_show
