// SPDX-License-Identifier: BSD-3-Clause
// coll_predict: what an all-reduce over up to a million ranks should take, by each algorithm.
#include "picture.hpp"
#include "simulated.hpp"
#include "table.hpp"

#include "../algorithms.hpp"
#include "../load/load.hpp"
#include "../numbers.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace coll_predict {
namespace {

struct options {
    int size = 0;
    std::vector<std::int64_t> bytes;
    std::vector<std::string> algorithms{"all"};
    prices at{1.5e-6, 0.3e-6, 0.08e-9, 0.02e-9};
    std::string fitted, csv, check, svg;
    bool given = false, simulate = false;
    double gap = 0;
    std::vector<std::string> late, slow;
};

void declare(CLI::App& app, options& o) {
    app.add_option("ranks", o.size, "number of ranks")
        ->required()
        ->check(CLI::Range(std::int64_t{1}, most_ranks));
    numbers::sizes(
        app.add_option("-b,--bytes", o.bytes, "sizes of the vector [1 to 1g, by factors of 4]")
            ->delimiter(','));
    app.add_option("--algorithm", o.algorithms, "ring,tree,hierarchical:8,... or all [all]")
        ->delimiter(',');
    auto const price = [&](char const* name, double& value, char const* of) {
        app.add_option(name, value, of)
            ->capture_default_str()
            ->check(numbers::price())
            ->each([&](std::string const&) { o.given = true; });
    };
    price("--alpha", o.at.alpha, "seconds of a round");
    price("--message", o.at.message, "of a message that the busiest rank sends or receives");
    price("--beta", o.at.beta, "of a byte on the way");
    price("--gamma", o.at.gamma, "of a byte added");
    app.add_option("--group", o.at.group,
                   "so many consecutive ranks are close to each other [all]; up to 1024 ranks")
        ->check(CLI::Range(1, most_counted));
    price("--beyond", o.at.beyond, "of a round in which groups talk to each other, besides");
    app.add_flag("--simulate", o.simulate,
                 "simulate all steps (LogGP) instead of counting them: rounds that do not wait for "
                 "each other overlap; up to 1024 ranks");
    app.add_option("--gap", o.gap,
                   "simulated: seconds after a message until its port takes the next [0]")
        ->check(numbers::price());
    app.add_option("--late", o.late, "simulated: this rank begins so much later; more with commas")
        ->option_text("RANK:SECONDS")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--slow", o.slow,
                   "simulated: messages of this link take so many times as long; more with commas")
        ->option_text("FROM-TO:FACTOR")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--fit", o.fitted,
                   "fit the prices to what coll_wire or coll_perf wrote into this CSV")
        ->option_text("FILE");
    app.add_option("--check", o.check,
                   "whether the algorithms in this CSV come in the order that is predicted, where "
                   "predictions differ by 15 %; and each algorithm's times by the predicted ones")
        ->option_text("FILE");
    app.add_option("--csv", o.csv, "write the table into this file, for coll_plot")
        ->option_text("FILE");
    app.add_option("--svg", o.svg, "draw times and crossing points into this file")
        ->option_text("FILE");
    load::option(app);
    app.footer(
        "Ends with 1 where measured algorithms come in another order, 2 on a mistake in the "
        "command line.");
}

void write(std::string const& file, std::string const& text) {
    std::ofstream out(file);
    if (!(out << text << std::flush)) { throw std::runtime_error("cannot write " + file); }
}

/// How many pairs are out of order.
std::size_t check(std::string const& file, prices const& p) {
    std::size_t pairs = 0;
    auto const rows = read_measured(file);
    for (auto const& s : spread_of(rows, p)) {
        fmt::print("{:<14} measured by predicted: {:.3f} to {:.3f}, median {:.3f}, of {}\n",
                   s.algorithm, s.least, s.most, s.median, s.rows);
    }
    auto const wrong = out_of_order(rows, p, pairs);
    for (auto const& line : wrong) { fmt::print("out of order: {}\n", line); }
    fmt::print("{} of {} pairs in {} are in the predicted order\n", pairs - wrong.size(), pairs,
               file);
    if (pairs == 0) { throw std::runtime_error("nothing in " + file + " could be compared"); }
    return wrong.size();
}

/// What is simulated, if anything is.
std::optional<coll::loggp> simulated(options const& o) {
    if (!o.simulate && o.gap == 0 && o.late.empty() && o.slow.empty()) { return {}; }
    if (o.at.group != 0) {
        throw coll::usage_error("groups are counted or steps simulated, not both");
    }
    coll::loggp network;
    network.gap = o.gap;
    for (auto const& text : o.late) { add_late(network, text); }
    for (auto const& text : o.slow) { add_slow(network, text); }
    return network;
}

int predict(options const& o) {
    question q;
    q.size = o.size;
    q.bytes = o.bytes;
    for (std::int64_t n = 1; o.bytes.empty() && n <= 1 << 30; n *= 4) { q.bytes.push_back(n); }
    q.at = o.at;
    if (!o.fitted.empty()) {
        if (o.given) { throw coll::usage_error("prices are given or fitted, not both"); }
        auto const f = fit_to(read_measured(o.fitted));
        q.at = f.all;
        fmt::print(
            "# fitted to {} measurements of {}; held-out error: median {:.1f} %, at most "
            "{:.1f} %\n",
            f.rows, o.fitted, 100 * f.held_out, 100 * f.worst);
    }
    q.at.simulated = simulated(o);
    if (o.algorithms == std::vector<std::string>{"all"}) {
        q.algorithms = known_algorithms(q.size);
    } else {
        for (auto const& name : o.algorithms) {
            q.algorithms.push_back(coll::parse_algorithm(name));
        }
    }
    fmt::print(
        "# all_reduce over {} ranks{}; alpha {:.4g} s, message {:.4g} s, beta {:.4g} s/B, "
        "gamma {:.4g} s/B\n{}\n{}",
        q.size, q.at.simulated ? ", simulated" : "", q.at.alpha, q.at.message, q.at.beta,
        q.at.gamma, as_table(q), as_text(crossings(q)));
    if (!o.csv.empty()) { write(o.csv, as_csv(q)); }
    if (!o.svg.empty()) { write(o.svg, as_picture(q)); }
    return o.check.empty() || check(o.check, q.at) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace coll_predict

int main(int argc, char** argv) {
    coll_predict::options options;
    CLI::App app{
        "Predicts the time of an all-reduce by each algorithm, the quickest, and where "
        "one overtakes another."};
    coll_predict::declare(app, options);
    try {
        app.parse(argc, argv);
        return coll_predict::predict(options);
    } catch (CLI::ParseError const& e) {
        return app.exit(e) == 0 ? 0 : 2;
    } catch (collectives::usage_error const& e) {
        fmt::print(stderr, "coll_predict: {}\n", e.what());
        return 2;
    } catch (std::exception const& e) {
        fmt::print(stderr, "coll_predict: {}\n", e.what());
        return 1;
    }
}
