// SPDX-License-Identifier: BSD-3-Clause
// Where time went: of each rank as a whole, and in some steps.
#include "page_time.hpp"

#include "plot.hpp"

#include <collectives/schedule/drawing/contrast.hpp>

#include <array>

namespace trainer {
namespace {

namespace palette = collectives::drawing::palette;

struct part {
    double spent::*time;
    std::string_view name, colour;
};
constexpr std::array<part, 4> parts{{{&spent::compute, "compute", colour::blue},
                                     {&spent::exposed, "exposed communication", colour::rust},
                                     {&spent::idle, "idle: waits for other ranks", "#BBBBBB"},
                                     {&spent::loading, "waits for images", colour::purple}}};

void legend(svg& to, double x, double y) {
    for (auto const& p : parts) {
        to.rectangle({x, y - 11}, 14, 14, fmt::format("fill='{}'", p.colour));
        to.text({x + 20, y}, p.name, "");
        x += 50 + 7 * static_cast<double>(p.name.size());
    }
}

}  // namespace

std::string draw_time_of_ranks(history const& all) {
    auto const height = 90 + 30.0 * all.ranks;
    svg picture(1000, height, "Where each rank's time went", page_style);
    legend(picture, 70, 24);
    double longest = 0;
    for (auto const& t : all.time) { longest = std::max(longest, t.all()); }
    auto const scale = 820 / longest;
    for (int r = 0; r < all.ranks; ++r) {
        auto const y = 44 + 30.0 * r;
        picture.text({58, y + 16}, fmt::format("rank {}", r), "text-anchor='end'");
        double x = 70;
        for (auto const& p : parts) {
            auto const width = all.time[static_cast<std::size_t>(r)].*p.time * scale;
            picture.rectangle({x, y}, width, 22, fmt::format("fill='{}'", p.colour));
            if (width > 42) {
                bool const dark = palette::contrast(p.colour, "#ffffff") >= palette::readable;
                picture.text(
                    {x + width / 2, y + 16}, fmt::format("{:.0f} %", width / 8.2),
                    fmt::format("text-anchor='middle'{}", dark ? " style='fill:white'" : ""));
            }
            x += width;
        }
    }
    picture.text({70, height - 16},
                 fmt::format("The full width is {:.3g} ms per step, the mean of {} steps.",
                             longest / all.steps * 1e3, all.steps),
                 "class='note'");
    return picture.text();
}

std::string draw_some_steps(history const& all) {
    auto const height = 100 + 34.0 * all.ranks;
    svg picture(1000, height, "Some steps of all ranks", page_style);
    legend(picture, 70, 24);
    auto begin = all.sample.front().front().begin_ns;
    auto end = begin;
    for (auto const& steps : all.sample) {
        begin = std::min(begin, steps.front().begin_ns);
        end = std::max(end, steps.back().end_ns);
    }
    auto const ms = [&](std::int64_t ns) { return static_cast<double>(ns - begin) / 1e6; };
    plot const time{{70, 44}, 900, 34.0 * all.ranks, {0, ms(end)}, {0, 1}};
    auto const across = tick_for(ms(end), 8);
    for (double x = 0; x <= ms(end); x += across) {
        auto const where = time.at(x, 0);
        picture.line(where, time.at(x, 1), "class='grid'");
        picture.text({where.x, where.y + 18}, fmt::format("{:.4g}", x),
                     "class='tick' text-anchor='middle'");
    }
    picture.text({520, height - 12}, "milliseconds", "text-anchor='middle'");
    for (std::size_t r = 0; r < all.sample.size(); ++r) {
        auto const y = 48 + 34.0 * static_cast<double>(r);
        picture.text({58, y + 17}, fmt::format("rank {}", r), "text-anchor='end'");
        for (std::size_t k = 0; k < all.sample[r].size(); ++k) {
            auto const& s = all.sample[r][k];
            auto latest = s.computed_ns;
            for (auto const& other : all.sample) {
                latest = std::max(latest, other[k].computed_ns);
            }
            if (all.how.how == method::async_server) { latest = 0; }
            auto const bar = [&](std::int64_t from, std::int64_t to, part const& what) {
                auto const x = time.at(ms(from), 0).x;
                picture.rectangle({x, y}, std::max(0.0, time.at(ms(to), 0).x - x), 26,
                                  fmt::format("fill='{}'", what.colour));
            };
            auto const ready = std::clamp(latest, s.computed_ns, s.averaged_ns);
            auto const loaded = s.begin_ns + s.loading_ns;
            auto const handing = s.computed_ns - s.handing_ns;
            bar(s.begin_ns, loaded, parts[3]);
            bar(loaded, handing, parts[0]);
            bar(handing, s.computed_ns, parts[1]);  // in pieces between the layers, really
            bar(s.computed_ns, ready, parts[2]);
            bar(ready, s.averaged_ns, parts[1]);
            bar(s.averaged_ns, s.end_ns, parts[0]);
            picture.line({time.at(ms(s.end_ns), 0).x, y}, {time.at(ms(s.end_ns), 0).x, y + 26},
                         "stroke='white' stroke-width='2'");
        }
    }
    return picture.text();
}

}  // namespace trainer
