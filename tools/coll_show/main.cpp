// SPDX-License-Identifier: BSD-3-Clause
// coll_show: shows what a collective algorithm does, what it costs, and that it is right.
#include "flight.hpp"
#include "lecture.hpp"
#include "outputs.hpp"
#include "planned.hpp"
#include "task_code.hpp"
#include "text.hpp"
#include "trace_file.hpp"

#include "../load/load.hpp"
#include "../numbers.hpp"

#include <collectives/schedule/drawing/svg.hpp>

#include <CLI/CLI.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace coll_show {
namespace {

struct options {
    std::string algorithm;
    int size = 0;
    std::string collective = "all_reduce";
    int root = 0;
    std::size_t bytes = 0;  // 0: the trace's, or 1 MiB
    std::string compare;
    std::string plan;
    bool in_place = false;
    bool lent = false;
    std::string svg;
    std::string html;
    std::string trace;
    std::int64_t operation = -1;
    std::vector<std::string> loaded;  // the files of --load
    std::string flight;
    std::vector<std::string> codes;
    int table = 0;
    table_format format = table_format::text;
    text_style style;
};

void declare(CLI::App& app, options& o) {
    app.add_option("algorithm", o.algorithm, "name of the algorithm")->option_text("ALGORITHM");
    app.add_option("size", o.size, "number of ranks")
        ->option_text("SIZE")
        ->check(CLI::Range(1, coll::drawing::most_drawn));
    app.add_option("--collective", o.collective, "all_reduce, reduce_scatter, broadcast ...")
        ->option_text("NAME")
        ->capture_default_str();
    app.add_option("--root", o.root, "root of a broadcast, reduce, gather or scatter")
        ->option_text("RANK")
        ->capture_default_str();
    numbers::sizes(
        app.add_option(
               "--bytes", o.bytes,
               "bytes of one rank's vector: 4096, 64kb, 1mb; default: the trace's, else 1mb")
            ->option_text("N"),
        1);
    auto* const plan =
        app.add_option("--plan", o.plan,
                       "show the plans of all ranks under this protocol instead: what really "
                       "travels, and where it is staged")
            ->option_text("PROTOCOL");
    app.add_flag("--in-place", o.in_place, "the input is the output")->needs(plan);
    app.add_flag("--lent", o.lent, "the kernel copies, from private memory that ranks lend")
        ->needs(plan);
    app.add_option("--svg", o.svg, "draw the rounds, or the plans, into this file")
        ->option_text("FILE");
    app.add_option("--html", o.html, "write the explorer's page, opened at this")
        ->option_text("FILE")
        ->excludes(plan);
    app.add_option("--trace", o.trace, "show when each step of this recorded trace really ran")
        ->option_text("FILE")
        ->excludes(plan);
    app.add_option("--operation", o.operation,
                   "number of the operation in the trace; default: the last")
        ->option_text("N")
        ->needs("--trace");
    app.add_option("--width", o.style.width, "columns the table may take")
        ->option_text("N")
        ->capture_default_str();
    app.add_flag("--full", o.style.full, "never shorten the tables");
    app.add_option("--compare", o.compare, "a second algorithm beside the first")
        ->option_text("ALGORITHM")
        ->excludes(plan);
    app.add_option(
           "--flight", o.flight,
           "read the flight reports in this directory (COLLECTIVES_REPORT) instead, and say "
           "who held up whom")
        ->option_text("DIRECTORY");
    auto* const verify =
        app.add_option("--verify", o.codes,
                       "check result codes of the explorer's tasks instead: whether their answers "
                       "are right")
            ->option_text("CODE...");
    for (auto* const other : app.get_options()) {
        if (other != verify && other != app.get_help_ptr()) { verify->excludes(other); }
    }
    auto* const table =
        app.add_option("--table", o.table,
                       "print the table of many lectures for K ranks instead: amount per node and "
                       "frequency, beside what is counted")
            ->option_text("K")
            ->check(CLI::Range(2, coll::drawing::most_drawn));
    for (auto* const other : app.get_options()) {
        if (other != table && other != app.get_help_ptr()) { table->excludes(other); }
    }
    static std::map<std::string, table_format> const formats{{"text", table_format::text},
                                                             {"markdown", table_format::markdown},
                                                             {"csv", table_format::csv}};
    app.add_option("--format", o.format, "of that table: text, markdown, csv")
        ->option_text("FORMAT")
        ->transform(CLI::CheckedTransformer(formats))
        ->needs(table);
    load::option(app);
    app.footer("The algorithms are " + algorithm_list() + ".");
}

void write_file(std::string const& path, std::string const& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) { throw std::runtime_error("cannot write " + path); }
    fmt::print("wrote {}\n", path);
}

int show_flights(options const& o) {
    if (!o.algorithm.empty()) { throw collectives::usage_error("--flight takes no algorithm"); }
    char const* between = "";
    for (auto const& one : read_flights(o.flight)) {
        fmt::print("{}{}", between, as_text(one));
        between = "\n";
    }
    return 0;
}

int show_codes(std::vector<std::string> const& codes) {
    bool right = true;
    char const* between = "";
    for (auto const& code : codes) {
        auto const one = verify(code);
        fmt::print("{}{}", between, one.text);
        right = right && one.right;
        between = "\n";
    }
    return right ? 0 : 1;
}

int show(options const& o) {
    if (!o.codes.empty()) { return show_codes(o.codes); }
    if (!o.flight.empty()) { return show_flights(o); }
    if (o.table != 0) {
        fmt::print("{}", lecture_table(o.table, o.format));
        return 0;
    }
    if (o.size == 0) { throw CLI::RequiredError("ALGORITHM and SIZE"); }
    auto const what = find_collective(o.collective);
    auto const algorithm = find_algorithm(o.algorithm);
    auto bytes = o.bytes == 0 ? std::size_t{1} << 20 : o.bytes;
    if (!o.plan.empty()) {
        auto const shown =
            make_plan_report(algorithm, what, o.size, o.root, {o.plan, o.in_place, o.lent, bytes});
        fmt::print("{}", as_text(shown));
        if (!o.svg.empty()) { write_file(o.svg, as_svg(shown)); }
        return shown.proof.ok ? 0 : 1;
    }
    auto shown = report_of(algorithm, what, o.size, o.root, bytes);
    std::optional<recorded_trace> trace;
    if (!o.trace.empty()) {
        trace = read_trace(o.trace, what, o.operation);
        expect_same(shown, *trace);
        if (o.bytes == 0) {
            bytes = vector_bytes(shown, *trace);
            shown = report_of(algorithm, what, o.size, o.root, bytes);
        }
    }
    std::optional<report> beside;
    if (!o.compare.empty()) {
        beside = report_of(find_algorithm(o.compare), what, shown.size, shown.root, bytes);
    }
    auto const* const other = beside ? &*beside : nullptr;
    auto const* const timed = trace ? &*trace : nullptr;
    fmt::print("{}", as_text(shown, other, o.style));
    if (timed != nullptr) { fmt::print("\n{}", times_as_text(*timed)); }
    if (!o.svg.empty() || !o.html.empty()) { fmt::print("\n"); }
    if (!o.svg.empty()) { write_file(o.svg, coll::drawing::svg_of(shown)); }
    if (!o.html.empty()) { write_file(o.html, as_page(shown, other, timed, o.loaded)); }
    return shown.proof.ok && (!beside || beside->proof.ok) ? 0 : 1;
}

}  // namespace
}  // namespace coll_show

int main(int argc, char** argv) {
    coll_show::options options;
    if (isatty(STDOUT_FILENO) != 0) {
        options.style.color = std::getenv("NO_COLOR") == nullptr;
        winsize window{};
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) {
            options.style.width = window.ws_col;
        }
    }
    CLI::App app{
        "Shows what a collective algorithm does round by round, what it costs beside the "
        "lower bounds, and whether it is right."};
    coll_show::declare(app, options);
    try {
        app.parse(argc, argv);
        options.loaded = load::files(app);
        if (app.count("--root") != 0 &&
            !collectives::is_rooted(coll_show::find_collective(options.collective))) {
            throw collectives::usage_error("--root has no effect: " + options.collective +
                                           " has no root");
        }
        return coll_show::show(options);
    } catch (CLI::ParseError const& e) {
        return app.exit(e) == 0 ? 0 : 2;
    } catch (collectives::usage_error const& e) {
        fmt::print(stderr, "coll_show: {}\n", e.what());
        return 2;
    } catch (std::exception const& e) {
        fmt::print(stderr, "coll_show: {}\n", e.what());
        return 1;
    }
}
