// SPDX-License-Identifier: BSD-3-Clause
// How the rounds are written as text.
#pragma once

namespace collectives::inline v0 {

/// How `draw_text` writes.
struct text_style {
    int width = 150;      ///< columns a table may take before its cells are shortened or left out
    int most_ranks = 16;  ///< ranks a table may have before its rounds are summarised
    bool full = false;    ///< never shorten
    bool color = false;   ///< ANSI colours
};

}  // namespace collectives
