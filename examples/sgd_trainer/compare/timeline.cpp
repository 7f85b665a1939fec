// SPDX-License-Identifier: BSD-3-Clause
// The timeline of one ring all-reduce, drawn from the trace of what really happened.
#include "pictures.hpp"
#include "../svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace coll = collectives;

namespace trainer {
namespace {

constexpr double left = 110;
constexpr double right = 1210;
constexpr double top = 196;
constexpr double bar_height = 24;
constexpr double lane_height = 2 * bar_height + 4;  // receive above, send below
constexpr double lane_gap = 44;                     // room for the arrows

constexpr std::string_view timeline_style =
    "text{fill:#333}.title{font-size:22px;font-weight:bold}.sub{font-size:14px;fill:#666}"
    ".lane{font-size:15px;font-weight:bold}.small{font-size:11.5px;fill:#444}"
    ".tick{font-size:13px;fill:#666}.axis{font-size:14px}.round{font-size:13px;fill:#666}"
    ".phase{font-size:14px;font-weight:bold;fill:#555}.bar{font-size:12px;fill:white}"
    ".arrow{stroke:#555;stroke-width:1.2;marker-end:url(#tip)}.again rect{fill-opacity:0.3}.again "
    ".bar{fill:#333}";

constexpr std::string_view arrow_tip =
    "<defs><marker id='tip' viewBox='0 0 8 8' refX='7.5' refY='4' markerWidth='8' "
    "markerHeight='8' markerUnits='userSpaceOnUse' orient='auto'>"
    "<path d='M0,0.8 L8,4 L0,7.2 z' fill='#555'/></marker></defs>";

std::string_view colour_of(coll::verb what) {
    return what == coll::verb::send          ? colour::blue
           : what == coll::verb::recv_reduce ? colour::rust
                                             : colour::green;
}

/// Where things are: time runs to the right, ranks downwards. Below the last rank stands rank 0
/// again, so that the messages that close the ring go down like all others.
class timeline {
public:
    timeline(std::span<coll::trace_event const> events, int ranks)
        : events_(events), ranks_(ranks) {
        begin_ = std::ranges::min(events, {}, &coll::trace_event::begin_ns).begin_ns;
        end_ = std::ranges::max(events, {}, &coll::trace_event::end_ns).end_ns;
        rounds_ = std::ranges::max(events, {}, &coll::trace_event::round).round + 1;
    }

    double height() const { return bottom() + 60; }

    void draw(svg& picture) const {
        draw_rounds(picture);
        draw_axis(picture);
        for (int rank = 0; rank <= ranks_; ++rank) { draw_lane(picture, rank); }
        for (auto const& sent : events_) {
            if (sent.action == coll::verb::send) { draw_arrow(picture, sent); }
        }
    }

private:
    double at(std::int64_t ns) const {
        return left + (right - left) * double(ns - begin_) / double(end_ - begin_);
    }
    double bottom() const { return lane(ranks_) + bar_height + 14; }
    static double lane(int index) { return top + index * (lane_height + lane_gap); }

    std::int64_t start_of(int round) const {
        auto first = end_;
        for (auto const& event : events_) {
            if (event.round == round) { first = std::min(first, event.begin_ns); }
        }
        return first;
    }

    void draw_rounds(svg& picture) const {
        for (int round = 0; round < rounds_; ++round) {
            auto const from = at(start_of(round));
            auto const to = round + 1 < rounds_ ? at(start_of(round + 1)) : right;
            picture.rectangle({from, top - 32}, to - from, bottom() - top + 32,
                              round % 2 == 0 ? "fill='#F4F4F4'" : "fill='white'");
            picture.text({(from + to) / 2, top - 14}, fmt::format("round {}", round),
                         "class='round' text-anchor='middle'");
        }
        auto const half = rounds_ / 2;  // the first half adds up, the second passes results on
        draw_phase(picture, left, at(start_of(half)), "reduce-scatter: partial sums travel");
        draw_phase(picture, at(start_of(half)), right, "all-gather: finished sums travel");
    }

    static void draw_phase(svg& picture, double from, double to, std::string_view words) {
        auto const y = top - 44;
        picture.polyline({{from + 3, y + 6}, {from + 3, y}, {to - 3, y}, {to - 3, y + 6}},
                         "stroke='#999'");
        picture.text({(from + to) / 2, y - 9}, words, "class='phase' text-anchor='middle'");
    }

    void draw_axis(svg& picture) const {
        auto const y = bottom();
        picture.line({left, y}, {right, y}, "stroke='#999'");
        auto const span_ms = double(end_ - begin_) / 1e6;
        auto const power = std::pow(10.0, std::floor(std::log10(span_ms / 4)));
        auto const leading = span_ms / 4 / power;  // 1 to 10: round it to 1, 2 or 5
        auto const tick = power * (leading < 2 ? 1 : leading < 5 ? 2 : 5);
        for (double ms = 0; ms <= span_ms; ms += tick) {
            auto const x = at(begin_ + std::int64_t(ms * 1e6));
            picture.line({x, y}, {x, y + 5}, "stroke='#999'");
            picture.text({x, y + 20}, fmt::format("{:.3g}", ms),
                         "class='tick' text-anchor='middle'");
        }
        picture.text({(left + right) / 2, y + 44}, "time in ms",
                     "class='axis' text-anchor='middle'");
    }

    void draw_lane(svg& picture, int index) const {
        auto const again = index == ranks_;
        auto const rank = index % ranks_;
        auto const y = lane(index);
        picture.raw(again ? "<g class='again'>" : "<g>");
        picture.text({left - 16, y + (again ? 17 : 31)}, fmt::format("rank {}", rank),
                     "class='lane' text-anchor='end'");
        if (again) {
            picture.text({left - 16, y + 33}, "(as above)", "class='small' text-anchor='end'");
        }
        for (auto const& event : events_) {
            if (event.rank == rank && (!again || event.action != coll::verb::send)) {
                draw_bar(picture, event, y);
            }
        }
        picture.raw("</g>");
    }

    void draw_bar(svg& picture, coll::trace_event const& event, double y) const {
        auto const is_send = event.action == coll::verb::send;
        auto const from = at(event.begin_ns);
        auto const width = std::max(at(event.end_ns) - from - 1, 1.5);
        auto const bar_top = y + (is_send ? bar_height + 4 : 0);
        picture.rectangle({from, bar_top}, width, bar_height,
                          fmt::format("rx='3' fill='{}'", colour_of(event.action)));
        auto const label = fmt::format("{}{}", width > 70 ? "chunk " : "", event.chunks.first);
        if (width > 16) {
            picture.text({from + width / 2, bar_top + 16.5}, label,
                         "class='bar' text-anchor='middle'");
        }
    }

    void draw_arrow(svg& picture, coll::trace_event const& sent) const {
        auto const received = std::ranges::find_if(events_, [&](auto const& event) {
            return event.action != coll::verb::send && event.rank == sent.peer &&
                   event.peer == sent.rank && event.round == sent.round;
        });
        if (received == events_.end()) { throw std::runtime_error("a send without a receive"); }
        auto const below = sent.peer > sent.rank ? sent.peer : ranks_ + sent.peer;
        picture.line({at(sent.begin_ns) + 5, lane(sent.rank) + lane_height + 1},
                     {at(received->end_ns) - 6, lane(below) - 2}, "class='arrow'");
    }

    std::span<coll::trace_event const> events_;
    int ranks_;
    int rounds_ = 0;
    std::int64_t begin_ = 0;
    std::int64_t end_ = 0;
};

void draw_legend(svg& picture) {
    double x = left;
    for (auto const what : {coll::verb::recv_reduce, coll::verb::recv_copy, coll::verb::send}) {
        picture.rectangle({x, 84}, 26, 16, fmt::format("rx='3' fill='{}'", colour_of(what)));
        picture.text({x + 34, 97}, coll::name(what), "class='axis'");
        x += 150;
    }
    picture.line({x, 84}, {x + 26, 100}, "class='arrow'");
    picture.text({x + 34, 97}, "a message, from the send’s begin to the receive’s end",
                 "class='axis'");
}

}  // namespace

void draw_timeline(std::filesystem::path const& file, std::span<coll::trace_event const> events,
                   int ranks, std::string const& subtitle) {
    timeline const lanes(events, ranks);
    svg picture(1250, lanes.height(), "Timeline of one ring all-reduce", timeline_style);
    picture.raw(arrow_tip);
    picture.text({40, 42}, fmt::format("One ring all-reduce over {} ranks, as it happened", ranks),
                 "class='title'");
    picture.text({40, 66}, subtitle, "class='sub'");
    draw_legend(picture);
    lanes.draw(picture);
    picture.save(file);
}

}  // namespace trainer
