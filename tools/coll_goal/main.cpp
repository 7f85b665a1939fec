// SPDX-License-Identifier: BSD-3-Clause
// coll_goal: writes an algorithm's schedule for simulators: as GOAL text for LogGOPSim, or as
// Chakra execution traces for ASTRA-sim.
#include "../algorithms.hpp"
#include "../load/load.hpp"
#include "../numbers.hpp"

#include <CLI/CLI.hpp>
#include <collectives/collectives.hpp>
#include <collectives/schedule/chakra.hpp>
#include <collectives/schedule/goal.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace coll = collectives;

namespace {

struct options {
    std::string algorithm, collective = "all_reduce", format = "goal", file;
    int size = 0, root = 0;
    std::size_t bytes = std::size_t{1} << 20;
    double gamma = 0;
};

coll::collective collective_of(std::string const& text) {
    for (int c = 0; c < static_cast<int>(coll::collective::barrier); ++c) {
        if (coll::name(static_cast<coll::collective>(c)) == text) {
            return static_cast<coll::collective>(c);
        }
    }
    throw coll::usage_error("there is no collective \"" + text + "\"");
}

void write_file(std::string const& name, std::string_view content) {
    std::ofstream out(name, std::ios::binary);
    out << content;
    out.close();
    if (!out) { throw std::runtime_error("cannot write " + name); }
}

void write_goal_text(options const& o, std::span<coll::schedule const> all) {
    std::ostringstream text;  // first: what cannot be written must not empty the file
    coll::write_goal(text, all, o.bytes, o.gamma * 1e9);
    write_file(o.file, text.view());
}

/// A file per rank. The times are tried first: none that cannot be written changes a file.
void write_chakra_traces(options const& o, std::span<coll::schedule const> all) {
    for (auto const& own : all) {
        coll::detail::each_task(own, o.bytes, [&](coll::detail::task const& t) {
            if (t.what == coll::detail::task::kind::add) {
                (void)coll::detail::whole_time(t, own.rank, o.gamma * 1e6);
            }
        });
    }
    for (auto const& own : all) {
        write_file(fmt::format("{}.{}.et", o.file, own.rank),
                   coll::chakra_trace(own, o.bytes, o.gamma * 1e6));
    }
}

void write(options const& o) {
    auto const what = collective_of(o.collective);
    auto const algorithm = coll::parse_algorithm(o.algorithm);
    auto const is_proved = algorithm.states_its_sums() || o.size <= most_proved;
    if (is_proved && !algorithm.is_automatic()) { expect_right(algorithm, o.size, what, o.root); }
    auto const all = algorithm.record_all(what, o.size, o.root);
    auto const as_traces = o.format == "chakra";
    as_traces ? write_chakra_traces(o, all) : write_goal_text(o, all);
    auto const cost = coll::cost_of(std::span<coll::schedule const>(all), o.bytes);
    auto const files =
        as_traces ? fmt::format("{0}.0.et to {0}.{1}.et", o.file, o.size - 1) : o.file;
    fmt::print("wrote {}: {} ranks, {} rounds, {} bytes sent by all, {} by the busiest\n", files,
               o.size, cost.rounds, cost.total, cost.busiest.sent);
    if (!is_proved) {
        fmt::print("not proved: {} is of more than {} ranks\n", o.file, most_proved);
    }
}

}  // namespace

int main(int argc, char** argv) {
    options o;
    CLI::App app(
        "Writes an algorithm's schedule for simulators: as GOAL text for LogGOPSim, or as Chakra "
        "execution traces for ASTRA-sim.");
    app.add_option("algorithm", o.algorithm, "ring, tree, ...")->required();
    app.add_option("size", o.size, "number of ranks")->required()->check(CLI::Range(1, 65536));
    app.add_option("-o,--output", o.file, "the file to write; of chakra the name before .RANK.et")
        ->required();
    app.add_option("--format", o.format, "goal, or chakra: a file per rank")
        ->capture_default_str()
        ->check(CLI::IsMember({"goal", "chakra"}));
    app.add_option("--collective", o.collective, "all_reduce, broadcast, ...")
        ->capture_default_str();
    app.add_option("--root", o.root, "of a rooted collective")->capture_default_str();
    numbers::sizes(app.add_option("--bytes", o.bytes, "of the vector: 4096, 64kb, 1mb [1mb]"));
    app.add_option("--gamma", o.gamma, "seconds to add a byte")
        ->capture_default_str()
        ->check(numbers::price());
    load::option(app);
    try {
        app.parse(argc, argv);
        write(o);
    } catch (CLI::ParseError const& e) {
        return app.exit(e) == 0 ? 0 : 2;
    } catch (coll::usage_error const& e) {
        fmt::print(stderr, "coll_goal: {}\n", e.what());
        return 2;
    } catch (std::exception const& e) {
        fmt::print(stderr, "coll_goal: {}\n", e.what());
        return 1;
    }
}
