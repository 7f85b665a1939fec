// SPDX-License-Identifier: BSD-3-Clause
// The report as a page: one file, with its pictures in it.
#include "report.hpp"
#include "svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace trainer {
namespace {

constexpr std::string_view style =
    "text{fill:#333;font-size:13px}.name{font-size:15px;font-weight:bold}.tick{fill:#666}"
    ".note{fill:#777}.grid{stroke:#E4E4E4}.frame{stroke:#999}";

struct part {
    double spent::*time;
    std::string_view name, colour;
};
constexpr std::array<part, 4> parts{{{&spent::compute, "compute", "#0072B2"},
                                     {&spent::exposed, "exposed communication", "#D55E00"},
                                     {&spent::idle, "idle: waits for other ranks", "#BBBBBB"},
                                     {&spent::loading, "waits for images", "#E69F00"}}};

/// 1, 2 or 5 times a power of ten, so that about `count` of them make `whole`.
double tick_for(double whole, int count) {
    auto const power = std::pow(10.0, std::floor(std::log10(whole / count)));
    auto const leading = whole / count / power;
    return power * (leading < 1.99 ? 1 : leading < 4.99 ? 2 : 5);
}

/// A frame with axes for x in 0..right and y in low..high.
struct plot {
    point corner;  // upper left
    double width, height, right, low, high;

    point at(double x, double y) const {
        auto const part_of_height = (std::clamp(y, low, high) - low) / (high - low);
        return {corner.x + width * x / right, corner.y + height * (1 - part_of_height)};
    }
    void draw(svg& to, std::string_view name, std::string_view x_name) const {
        for (auto y = std::ceil(low / step()) * step(); y <= high * (1 + 1e-9); y += step()) {
            to.line(at(0, y), at(right, y), "class='grid'");
            to.text({corner.x - 8, at(0, y).y + 4}, fmt::format("{:.3g}", y),
                    "class='tick' text-anchor='end'");
        }
        auto const across = tick_for(right, 5);
        for (double x = 0; x <= right * (1 + 1e-9); x += across) {
            to.text({at(x, low).x, corner.y + height + 18}, fmt::format("{:.6g}", x),
                    "class='tick' text-anchor='middle'");
        }
        to.line({corner.x, corner.y + height}, {corner.x + width, corner.y + height},
                "class='frame'");
        to.text({corner.x, corner.y - 12}, name, "class='name'");
        to.text({corner.x + width / 2, corner.y + height + 38}, x_name, "text-anchor='middle'");
    }
    void curve(svg& to, std::vector<moment> const& values, bool in_steps, bool marked,
               std::string_view colour, double thick) const {
        std::vector<point> line;
        for (auto const& v : values) { line.push_back(at(in_steps ? v.step : v.seconds, v.value)); }
        to.polyline(line, fmt::format("stroke='{}' stroke-width='{}' stroke-linejoin='round'",
                                      colour, thick));
        if (!marked) { return; }
        for (auto const& p : line) {
            to.circle(p, 3.5, fmt::format("fill='white' stroke='{}' stroke-width='2'", colour));
        }
    }

private:
    double step() const { return tick_for(high - low, 4); }
};

/// Means of so many steps in a row that at most 300 points remain.
std::vector<moment> smoothed(std::vector<moment> const& all) {
    auto const group = (all.size() + 299) / 300;
    std::vector<moment> result;
    for (std::size_t i = 0; i < all.size(); i += group) {
        auto const end = std::min(all.size(), i + group);
        moment mean = all[end - 1];
        mean.value = 0;
        for (auto k = i; k < end; ++k) { mean.value += all[k].value / double(end - i); }
        result.push_back(mean);
    }
    return result;
}

std::string curves(history const& all) {
    svg picture(1000, 560, "Loss and accuracy against step and time", style);
    auto const losses = smoothed(all.losses);
    auto const highest = std::ranges::max(losses, {}, &moment::value).value;
    auto const worst = std::ranges::min(all.accuracies, {}, &moment::value).value;
    auto const floor = std::min(std::floor(worst * 10) / 10, 0.9);
    for (int column = 0; column < 2; ++column) {
        auto const left = 70 + 490.0 * column;
        auto const in_steps = column == 0;
        auto const end = in_steps ? losses.back().step : losses.back().seconds;
        auto const* const name = in_steps ? "step" : "seconds of training";
        plot const loss{{left, 40}, 410, 190, end, 0, highest};
        loss.draw(picture, "loss", name);
        loss.curve(picture, losses, in_steps, false, colour::vermillion, 1.5);
        plot const accuracy{{left, 315}, 410, 190, end, floor, 1};
        accuracy.draw(picture, "accuracy in test", name);
        accuracy.curve(picture, all.accuracies, in_steps, true, colour::blue, 2);
    }
    return picture.text();
}

void legend(svg& to, double x, double y) {
    for (auto const& p : parts) {
        to.rectangle({x, y - 11}, 14, 14, fmt::format("fill='{}'", p.colour));
        to.text({x + 20, y}, p.name, "");
        x += 50 + 7 * static_cast<double>(p.name.size());
    }
}

std::string where_time_went(history const& all) {
    auto const height = 90 + 30.0 * all.ranks;
    svg picture(1000, height, "Where each rank's time went", style);
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
                picture.text({x + width / 2, y + 16}, fmt::format("{:.0f} %", width / 8.2),
                             "text-anchor='middle' style='fill:white'");
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

std::string some_steps(history const& all) {
    auto const height = 100 + 34.0 * all.ranks;
    svg picture(1000, height, "Some steps of all ranks", style);
    legend(picture, 70, 24);
    auto begin = all.sample.front().front().begin_ns;
    auto end = begin;
    for (auto const& steps : all.sample) {
        begin = std::min(begin, steps.front().begin_ns);
        end = std::max(end, steps.back().end_ns);
    }
    auto const ms = [&](std::int64_t ns) { return static_cast<double>(ns - begin) / 1e6; };
    plot const time{{70, 44}, 900, 34.0 * all.ranks, ms(end), 0, 1};
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

std::string bytes(history const& all) {
    auto const height = 70 + 30.0 * all.ranks;
    svg picture(1000, height, "Bytes that each rank sends per step", style);
    auto const most = std::max(*std::ranges::max_element(all.sent), all.bound());
    auto const scale = 700 / most;
    for (int r = 0; r < all.ranks; ++r) {
        auto const sent = all.sent[static_cast<std::size_t>(r)];
        auto const y = 30 + 30.0 * r;
        picture.text({58, y + 16}, fmt::format("rank {}", r), "text-anchor='end'");
        picture.rectangle({70, y}, sent * scale, 22, "fill='#0072B2'");
        picture.text({78 + sent * scale, y + 16},
                     fmt::format("{:.0f} bytes, {:.2f} n", sent, sent / all.bytes()), "");
    }
    auto const x = 70 + all.bound() * scale;
    picture.line({x, 22}, {x, height - 34},
                 "stroke='#D55E00' stroke-width='2' stroke-dasharray='6 4'");
    picture.text({x, height - 14},
                 fmt::format("2n(P − 1)/P = {:.0f}: no all-reduce has its busiest rank send less",
                             all.bound()),
                 fmt::format("text-anchor='{}'", x > 500 ? "end" : "start"));
    return picture.text();
}

std::string rows(history const& all) {
    std::string text;
    auto const row = [&](std::string_view name, std::string const& value) {
        fmt::format_to(std::back_inserter(text), "<tr><th>{}<td>{}\n", name, value);
    };
    auto const& how = all.how;
    row("data", all.data);
    row("network", fmt::format("{}: {} parameters", all.network, all.parameters));
    row("steps", fmt::format("{} of {} × {} images over {} ranks", all.steps, how.batch,
                             how.accumulate, all.ranks));
    row("gradients", how.how == method::all_reduce
                         ? fmt::format("all-reduce, {}; buckets of {} bytes at most; n = {:.0f} "
                                       "bytes per step",
                                       how.algorithm, how.threshold, all.bytes())
                     : how.how == method::server
                         ? "a parameter server on rank 0, which waits for all workers"
                         : "a parameter server on rank 0, which waits for no worker");
    row("training", fmt::format("{:.2f} s, {:.3g} ms per step", all.losses.back().seconds,
                                all.losses.back().seconds / all.steps * 1e3));
    row("accuracy in test", fmt::format("{:.4f}", all.accuracies.back().value));
    row("ranks' parameters", all.ranks_agree ? "the same bits everywhere" : "DIFFER");
    return text;
}

}  // namespace

void write_page(std::filesystem::path const& file, history const& all) {
    std::ofstream out(file);
    out << "<!DOCTYPE html>\n<html lang='en'><meta charset='utf-8'><title>Training report</title>\n"
           "<style>body{font-family:Helvetica,Arial,'Liberation Sans',sans-serif;color:#333;"
           "max-width:1000px;margin:2em auto;padding:0 1em}h2{font-size:1.1em;margin-top:2em}"
           "th{text-align:left;padding-right:2em;font-weight:normal;color:#777}"
           "svg{max-width:100%;height:auto}p{color:#666}</style>\n"
        << fmt::format("<h1>{} ranks learn {}</h1>\n<table>\n{}</table>\n", all.ranks, all.how.data,
                       rows(all));
    out << "<h2>What is learnt</h2>\n" << curves(all);
    out << "<h2>Where each step’s time went</h2>\n<p>Communication is exposed where no computation "
           "hides it; a rank is idle from its own gradient’s end until the last rank has "
           "computed its own.</p>\n"
        << where_time_went(all);
    out << "<h2>Some steps of the last epoch</h2>\n" << some_steps(all);
    out << "<h2>Bytes that each rank sends per step</h2>\n";
    if (*std::ranges::max_element(all.sent) > 0) {
        out << bytes(all);
    } else {
        out << "<p>Not counted: the ranks read each other’s memory. With --count everything "
               "travels as messages, whose bytes are counted.</p>\n";
    }
    out << "</html>\n";
    if (!out.flush()) { throw std::runtime_error("cannot write " + file.string()); }
}

}  // namespace trainer
