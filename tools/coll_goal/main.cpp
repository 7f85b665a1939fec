// SPDX-License-Identifier: BSD-3-Clause
// coll_goal: writes an algorithm's schedule as GOAL text, for LogGOPSim.
#include "../algorithms.hpp"
#include "../load/load.hpp"
#include "../numbers.hpp"

#include <CLI/CLI.hpp>
#include <collectives/collectives.hpp>
#include <collectives/schedule/goal.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

namespace coll = collectives;

namespace {

struct options {
    std::string algorithm, collective = "all_reduce", file;
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

void write(options const& o) {
    auto const what = collective_of(o.collective);
    auto const algorithm = coll::parse_algorithm(o.algorithm);
    auto const is_proved = algorithm.states_its_sums() || o.size <= most_proved;
    if (is_proved && !algorithm.is_automatic()) { expect_right(algorithm, o.size, what, o.root); }
    auto const all = algorithm.record_all(what, o.size, o.root);
    std::ostringstream text;  // first: what cannot be written must not empty the file
    coll::write_goal(text, all, o.bytes, o.gamma * 1e9);
    std::ofstream out(o.file);
    out << text.view();
    out.close();
    if (!out) { throw std::runtime_error("cannot write " + o.file); }
    auto const cost = coll::cost_of(std::span<coll::schedule const>(all), o.bytes);
    fmt::print("wrote {}: {} ranks, {} rounds, {} bytes sent by all, {} by the busiest\n", o.file,
               o.size, cost.rounds, cost.total, cost.busiest.sent);
    if (!is_proved) {
        fmt::print("not proved: {} is of more than {} ranks\n", o.file, most_proved);
    }
}

}  // namespace

int main(int argc, char** argv) {
    options o;
    CLI::App app("Writes an algorithm's schedule as GOAL text, for LogGOPSim.");
    app.add_option("algorithm", o.algorithm, "ring, tree, ...")->required();
    app.add_option("size", o.size, "number of ranks")->required()->check(CLI::Range(1, 65536));
    app.add_option("-o,--output", o.file, "the file to write")->required();
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
