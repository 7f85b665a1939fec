// SPDX-License-Identifier: BSD-3-Clause
// Pictures of algorithms: who sends what to whom in each round, and what each rank holds then.
#pragma once

#include <collectives/core/compiled.hpp>
#include <collectives/schedule/any_algorithm.hpp>
#include <collectives/schedule/drawing/text_style.hpp>

#include <span>
#include <string>
#include <string_view>

namespace collectives::inline v0 {

/// An SVG of an algorithm's rounds, for a file or a page: `draw(ring{}, 4)`. A grid for each round
/// has a row for each rank and a column for each chunk; a cell says whose contributions the rank
/// holds of the chunk, and is gold when it has all of them. Arrows between the grids are the
/// transfers. If there are many rounds, a few are drawn, and the picture says which. With more than
/// 16 ranks the cells have no text. The head has the rounds and the busiest rank's bytes beside the
/// lower bounds, for vectors of 1 MiB, and whether `check` proved the algorithm. `coll_show --svg`
/// draws the same.
///
/// `root` counts only if the collective is rooted, but must exist. Throws usage_error where `size`
/// is not 1 to 1024 or the algorithm does not fit it, and for `automatic`; and error, which says
/// where, if an algorithm's steps cannot be drawn: a receive has no send, a send has no receive, or
/// a round, rank or chunk does not exist. Other wrong algorithms are drawn, and the head says
/// "WRONG." Time and memory grow as those of `check`.
std::string draw(any_algorithm a, int size, collective what = collective::all_reduce,
                 rank_t root = 0);

/// Draws recorded schedules: `ranks[r]` is rank r's. `name` is what the title calls them. Throws
/// usage_error where they are not those of all ranks of one collective, else as above.
std::string draw(std::span<schedule const> ranks, std::string_view name);

/// The same rounds as text, as `coll_show` prints them: a table with a line for each rank in each
/// round, or, where that is too large for the style, what happens in each round. Ends with an end
/// of line.
std::string draw_text(any_algorithm a, int size, collective what = collective::all_reduce,
                      rank_t root = 0, text_style const& style = {});
std::string draw_text(std::span<schedule const> ranks, std::string_view name,
                      text_style const& style = {});

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/schedule/draw.ipp>
#endif
