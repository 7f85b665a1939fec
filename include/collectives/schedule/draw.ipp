// SPDX-License-Identifier: BSD-3-Clause
// The definitions of schedule/draw.hpp.
#pragma once

#include <collectives/schedule/draw.hpp>
#include <collectives/schedule/drawing/picture_report.hpp>
#include <collectives/schedule/drawing/rounds.hpp>
#include <collectives/schedule/drawing/svg.hpp>

namespace collectives::inline v0 {

COLLECTIVES_INLINE std::string draw(any_algorithm a, int size, collective what, rank_t root) {
    return drawing::svg_of(drawing::report_of(a, what, size, root));
}

COLLECTIVES_INLINE std::string draw(std::span<schedule const> ranks, std::string_view name) {
    return drawing::svg_of(drawing::report_of(std::string(name), {ranks.begin(), ranks.end()}));
}

COLLECTIVES_INLINE std::string draw_text(any_algorithm a, int size, collective what, rank_t root,
                                         text_style const& style) {
    return drawing::rounds_text(drawing::report_of(a, what, size, root), style, ".");
}

COLLECTIVES_INLINE std::string draw_text(std::span<schedule const> ranks, std::string_view name,
                                         text_style const& style) {
    auto const shown = drawing::report_of(std::string(name), {ranks.begin(), ranks.end()});
    return drawing::rounds_text(shown, style, ".");
}

}  // namespace collectives
