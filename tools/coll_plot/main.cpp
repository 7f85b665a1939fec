// SPDX-License-Identifier: BSD-3-Clause
// coll_plot: draws, tabulates and compares what coll_perf measured.
#include "chart.hpp"
#include "compare.hpp"
#include "table.hpp"

#include "../insert_between.hpp"
#include "../numbers.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <map>

namespace coll_plot {
namespace {

struct options {
    std::vector<std::string> files;
    std::vector<std::string> where;
    std::string svg, title, page, against, mark = "coll_plot", over = "bytes";
    quantity what = quantity::latency;
    bool table = false, crossings = false;
    std::vector<std::size_t> sizes;
    tolerances allowed;
};

std::map<std::string, quantity> const quantities{{"latency", quantity::latency},
                                                 {"bandwidth", quantity::bandwidth}};

void declare(CLI::App& app, options& o) {
    app.add_option("files", o.files, "what coll_perf --csv wrote")
        ->option_text("FILE...")
        ->required();
    app.add_option("--where", o.where, "only rows with this value in this column; may be repeated")
        ->option_text("COLUMN=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--svg", o.svg, "draw into this file")->option_text("FILE");
    app.add_option("--quantity", o.what, "latency or bandwidth [latency]")
        ->option_text("NAME")
        ->transform(CLI::Transformer(quantities));
    app.add_option("--over", o.over, "bytes or ranks: what curves run over [bytes]")
        ->option_text("NAME")
        ->check(CLI::IsMember({"bytes", "ranks"}));
    app.add_option("--title", o.title, "title of the picture")->option_text("TEXT");
    app.add_flag("--crossings", o.crossings,
                 "mark in the picture where another of our curves becomes the lowest");
    app.add_flag("--table", o.table, "print a table in Markdown");
    numbers::sizes(app.add_option("--sizes", o.sizes, "sizes of the table: 4,64kb,1mb [all]")
                       ->option_text("SIZES")
                       ->delimiter(','));
    app.add_option("--insert", o.page,
                   "put the table into this page, between <!-- NAME --> and <!-- end of NAME -->")
        ->option_text("FILE");
    app.add_option("--mark", o.mark, "the NAME of these marks [coll_plot]")->option_text("NAME");
    app.add_option("--against", o.against,
                   "hold the ratios of times to controls against those of this file")
        ->option_text("FILE");
    auto const tolerance = [&](char const* name, double& value, char const* says) {
        app.add_option(name, value, says)->option_text("FACTOR")->check(numbers::above_zero());
    };
    tolerance("--bandwidth-tolerance", o.allowed.bandwidth, "[1.25]");
    tolerance("--latency-tolerance", o.allowed.latency, "[1.5]");
    tolerance("--crowded-tolerance", o.allowed.crowded, "[2.5], more ranks than cores");
    app.footer("Ends with 1 if something got worse, 2 on a mistake in the command line.");
}

std::vector<condition> conditions_of(std::vector<std::string> const& texts) {
    std::vector<condition> result;
    for (auto const& text : texts) {
        auto const equals = text.find('=');
        if (equals == text.npos) {
            throw CLI::ValidationError("--where", "\"" + text + "\" is not COLUMN=VALUE");
        }
        result.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return result;
}

/// `2 ranks on 2 cores, float, sum, AMD EPYC; 2026-11-21`. A simulated cluster has no cores.
std::string subtitle_of(std::vector<csv_row> const& rows, bool ranks) {
    auto const& r = rows.front();
    auto const first = ranks ? human_bytes(r.number("bytes")) : r.text("ranks") + " ranks";
    auto const where = r.text("transport") == "smpi" ? std::string(", simulated")
                                                     : " on " + r.text("cores") + " cores";
    return fmt::format("{}{}, {}, {}, {}; {}", first, where, r.text("type"), r.text("op"),
                       r.text("cpu"), r.text("date").substr(0, 10));
}

int plot(options const& o) {
    std::vector<csv_row> rows;
    for (auto const& file : o.files) {
        for (auto& row : read_csv(file)) { rows.push_back(std::move(row)); }
    }
    rows = select(rows, conditions_of(o.where));
    if (rows.empty()) { throw std::runtime_error("no row has figures and meets the conditions"); }
    axis over{o.over == "ranks", rows.front().number("bytes"), {}};
    for (auto const& row : rows) {
        if (over.ranks && row.number("bytes") != over.bytes) {
            throw std::runtime_error("over ranks there can be one size: --where bytes=N");
        }
    }
    auto const curves = curves_of(rows, o.over);
    if (o.crossings) { over.marks = crossings_of(curves); }
    if (!o.svg.empty()) {
        auto const title = !o.title.empty() ? o.title
                           : o.what == quantity::latency
                               ? rows.front().text("collective") + ": time of the slowest rank"
                               : rows.front().text("collective") + ": bytes per time";
        write_file(o.svg, as_svg(curves, o.what, title, subtitle_of(rows, over.ranks), over));
        fmt::print("wrote {}\n", o.svg);
    }
    auto const table = as_markdown(curves, {o.sizes.begin(), o.sizes.end()});
    if (o.table) { fmt::print("{}", table); }
    if (!o.page.empty()) {
        write_file(o.page, tools::insert_between(read_file(o.page), o.mark, table));
        fmt::print("wrote {}\n", o.page);
    }
    if (o.against.empty()) { return 0; }
    auto const result = compare(rows, read_csv(o.against), o.allowed);
    fmt::print("{}", result.text);
    if (result.compared + result.moved == 0) {
        throw std::runtime_error("the files have no case with controls in common");
    }
    return result.worse > 0 ? 1 : 0;
}

}  // namespace
}  // namespace coll_plot

int main(int argc, char** argv) {
    coll_plot::options options;
    CLI::App app{"Draws, tabulates and compares what coll_perf measured."};
    coll_plot::declare(app, options);
    try {
        app.parse(argc, argv);
        if (options.svg.empty() && options.page.empty() && options.against.empty()) {
            options.table = true;
        }
        return coll_plot::plot(options);
    } catch (CLI::ParseError const& e) {
        return app.exit(e) == 0 ? 0 : 2;
    } catch (std::exception const& e) {
        fmt::print(stderr, "coll_plot: {}\n", e.what());
        return 1;
    }
}
