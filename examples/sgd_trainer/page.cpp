// SPDX-License-Identifier: BSD-3-Clause
// The report as a page: one file, with its pictures in it.
#include "page_time.hpp"
#include "plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace trainer {
namespace {

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

void draw_curve(svg& to, plot const& in, std::vector<moment> const& values, bool in_steps,
                bool marked, std::string_view colour, double thick) {
    std::vector<point> line;
    for (auto const& v : values) { line.push_back(in.at(in_steps ? v.step : v.seconds, v.value)); }
    to.polyline(
        line, fmt::format("stroke='{}' stroke-width='{}' stroke-linejoin='round'", colour, thick));
    if (!marked) { return; }
    for (auto const& p : line) {
        to.circle(p, 3.5, fmt::format("fill='white' stroke='{}' stroke-width='2'", colour));
    }
}

std::string curves(history const& all) {
    svg picture(1000, 560, "Loss and accuracy against step and time", page_style);
    auto const losses = smoothed(all.losses);
    auto const highest = std::ranges::max(losses, {}, &moment::value).value;
    auto const worst = std::ranges::min(all.accuracies, {}, &moment::value).value;
    auto const floor = std::min(std::floor(worst * 10) / 10, 0.9);
    for (int column = 0; column < 2; ++column) {
        auto const left = 70 + 490.0 * column;
        auto const in_steps = column == 0;
        auto const end = in_steps ? losses.back().step : losses.back().seconds;
        auto const* const name = in_steps ? "step" : "seconds of training";
        plot const loss{{left, 40}, 410, 190, {0, end}, {0, highest}};
        loss.draw(picture, "loss", name);
        draw_curve(picture, loss, losses, in_steps, false, colour::rust, 1.5);
        plot const accuracy{{left, 315}, 410, 190, {0, end}, {floor, 1}};
        accuracy.draw(picture, "accuracy in test", name);
        draw_curve(picture, accuracy, all.accuracies, in_steps, true, colour::blue, 2);
    }
    return picture.text();
}

std::string bytes(history const& all) {
    auto const height = 70 + 30.0 * all.ranks;
    svg picture(1000, height, "Bytes that each rank sends per step", page_style);
    auto const most = std::max(*std::ranges::max_element(all.sent), all.bound());
    auto const scale = 700 / most;
    for (int r = 0; r < all.ranks; ++r) {
        auto const sent = all.sent[static_cast<std::size_t>(r)];
        auto const y = 30 + 30.0 * r;
        picture.text({58, y + 16}, fmt::format("rank {}", r), "text-anchor='end'");
        picture.rectangle({70, y}, sent * scale, 22, fmt::format("fill='{}'", colour::blue));
        auto const inside = sent * scale > 200;
        picture.text({inside ? 78 : 78 + sent * scale, y + 16},
                     fmt::format("{:.0f} bytes, {:.2f} n", sent, sent / all.bytes()),
                     inside ? "style='fill:white'" : "");
    }
    auto const x = 70 + all.bound() * scale;
    picture.line({x, 22}, {x, height - 34},
                 fmt::format("stroke='{}' stroke-width='2' stroke-dasharray='6 4'", colour::rust));
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
           "th{text-align:left;padding-right:2em;font-weight:normal;color:#707070}"
           "svg{max-width:100%;height:auto}p{color:#666}</style>\n"
        << fmt::format("<h1>{} ranks learn {}</h1>\n<table>\n{}</table>\n", all.ranks, all.how.data,
                       rows(all));
    out << "<h2>What is learnt</h2>\n" << curves(all);
    out << "<h2>Where each step’s time went</h2>\n<p>Communication is exposed where no computation "
           "hides it; a rank is idle from its own gradient’s end until the last rank has "
           "computed its own.</p>\n"
        << draw_time_of_ranks(all);
    out << "<h2>Some steps of the last epoch</h2>\n" << draw_some_steps(all);
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
