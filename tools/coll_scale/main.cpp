// SPDX-License-Identifier: BSD-3-Clause
// coll_scale: how much quicker many workers train a network than one does.
#include "replay.hpp"
#include "report.hpp"

#include "../coll_plot/csv_table.hpp"
#include "../load/load.hpp"
#include "../numbers.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace coll_scale {
namespace {

struct options {
    std::string model = "resnet50", models, network = "ethernet10", transport = "shm", csv, svg,
                measurements;
    std::vector<std::string> algorithms{"star", "tree", "butterfly", "ring", "circulant"};
    std::vector<int> workers, accumulated{4, 16};
    std::optional<double> alpha, message, beta, gamma;
    std::optional<std::size_t> threshold;
    cluster on;
    replaying how;
    int measured = 0;
    bool cures = false;
};

void declare(CLI::App& app, options& o) {
    app.add_option("model", o.model,
                   "resnet50, resnet20, vgg16, gpt2_small, or a CSV like theirs [resnet50]");
    app.add_option("--models", o.models, "the folder of these")->option_text("FOLDER");
    app.add_option("--workers", o.workers, "[1 to 4096, by factors of 2]")
        ->delimiter(',')
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--algorithm", o.algorithms, "[star,tree,butterfly,ring,circulant]")
        ->delimiter(',');
    numbers::sizes(app.add_option("--threshold", o.threshold, "bytes of a bucket [the best]"));
    std::map<std::string, std::string> names;
    for (auto const& n : networks) { names[std::string(n.name)] = n.name; }
    app.add_option("--network", o.network, "ethernet1, ethernet10, ethernet25, infiniband100")
        ->capture_default_str()
        ->check(CLI::IsMember(names));
    auto const price = [&](char const* name, std::optional<double>& value, char const* of) {
        app.add_option(name, value, of)->check(numbers::price());
    };
    price("--alpha", o.alpha, "seconds of a round [of the network]");
    price("--message", o.message,
          "of a message that the busiest worker sends or receives [likewise]");
    price("--beta", o.beta, "of a byte on the way [likewise]");
    price("--gamma", o.gamma, "of a byte added [likewise]");
    app.add_option("--copy", o.on.copy, "of a byte that is packed and unpacked")
        ->capture_default_str()
        ->check(numbers::price());
    app.add_option("--flops", o.on.flops, "floating-point operations a worker does per second")
        ->capture_default_str()
        ->check(numbers::above_zero());
    app.add_option("--batch", o.on.batch, "samples of a step, of each worker")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_flag("--split", o.on.splits, "these are split over all workers");
    app.add_flag("--cures", o.cures,
                 "one number of workers: a table of what helps where there are too many messages");
    app.add_option("--accumulate", o.accumulated, "passes of a step, for --cures [4,16]")
        ->delimiter(',')
        ->check(CLI::PositiveNumber);
    auto* const measure =
        app.add_option("--measure", o.measured,
                       "up to so many workers also measure it, over links of throttled memory");
    measure->option_text("WORKERS")->check(CLI::Range(0, 64));
    app.add_option("--measured", o.measurements,
                   "instead: what was measured is in this file, which --csv wrote")
        ->option_text("FILE")
        ->excludes(measure);
    app.add_option("--transport", o.transport, "of these: shm or threads [shm]")
        ->check(CLI::IsMember({"shm", "threads"}));
    app.add_option("--slow", o.how.slow, "measure in slow motion, so many times slower")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--shrink", o.how.shrink, "measure with tensors and links so many times smaller")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--steps", o.how.steps, "measure so many; the quickest counts")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--csv", o.csv, "write a row for each step into this file")->option_text("FILE");
    app.add_option("--svg", o.svg, "draw speed-up against workers into this file")
        ->option_text("FILE");
    load::option(app);
    app.footer("Ends with 2 on a mistake in the command line. docs/coll_scale.md explains more.");
}

cluster cluster_of(options const& o) {
    auto on = o.on;
    for (auto const& n : networks) {
        if (n.name == o.network) { on.at = n.at; }
    }
    on.at.alpha = o.alpha.value_or(on.at.alpha);
    on.at.message = o.message.value_or(on.at.message);
    on.at.beta = o.beta.value_or(on.at.beta);
    on.at.gamma = o.gamma.value_or(on.at.gamma);
    return on;
}

/// Seconds of a measured step in a file that --csv wrote; 0 if it has none.
double seconds_in(std::string const& file, std::string const& model, row const& of) {
    for (auto const& line : coll_plot::read_csv(file)) {
        if (line.text("source") == "measurement" && line.text("model") == model &&
            line.text("algorithm") == coll::name(of.algorithm) &&
            line.number("workers") == of.workers && line.number("fusion") == of.how.fused &&
            line.number("overlap") == of.how.overlapped &&
            line.number("accumulated") == of.how.accumulated) {
            return line.number("step_ms") / 1e3;
        }
    }
    return 0;
}

row row_of(options const& o, trainer const& t, std::string const& algorithm, int workers,
           way const& w) {
    row r{coll::parse_algorithm(algorithm), workers, w, {}, 0, 0};
    r.predicted = t.predict(r.algorithm, workers, w, o.threshold);
    if (!o.measurements.empty()) {
        r.measured = seconds_in(o.measurements, t.what().name, r);
        if (r.measured > 0) { r.measured_speed_up = t.speed_up(workers, w, r.measured); }
    } else if (workers > 1 && workers <= o.measured) {
        std::fprintf(stderr, "%d workers, %s, %s\n", workers, algorithm.c_str(), w.text().c_str());
        r.measured = replay(t, r.algorithm, workers, w, r.predicted.threshold, o.how);
        r.measured_speed_up = t.speed_up(workers, w, r.measured);
    }
    return r;
}

void say(options const& o, trainer const& t, std::vector<row> const& rows) {
    if (!o.csv.empty()) { coll_plot::write_file(o.csv, as_csv(t, rows)); }
    if (!o.svg.empty()) { coll_plot::write_file(o.svg, as_picture(t, rows)); }
    if (o.cures) {
        fmt::print("{}\n", as_cures(t, rows));
    } else {
        fmt::print("{}", as_table(rows));
    }
}

void scale(options o) {
    o.how.threads = o.transport == "threads";
    auto const m = find_model(o.model, o.models.empty() ? own_models() : o.models);
    trainer const t(m, cluster_of(o));
    std::vector<row> rows;
    fmt::print("# {}\n", description(t));
    if (o.cures) {
        if (o.workers.size() != 1 || o.algorithms.size() != 1) {
            throw coll::usage_error("--cures is for one number of --workers and one --algorithm");
        }
        std::vector<way> cures(ways.begin(), ways.end());
        for (auto const n : o.accumulated) { cures.push_back({true, true, n}); }
        for (auto const& w : cures) {
            rows.push_back(row_of(o, t, o.algorithms.front(), o.workers.front(), w));
        }
        return say(o, t, rows);
    }
    if (o.workers.empty()) {
        for (int p = 1; p <= 4096; p *= 2) { o.workers.push_back(p); }
    }
    for (auto const& w : ways) {
        for (auto const workers : o.workers) {
            for (auto const& a : o.algorithms) { rows.push_back(row_of(o, t, a, workers, w)); }
        }
    }
    say(o, t, rows);
}

}  // namespace
}  // namespace coll_scale

int main(int argc, char** argv) {
    coll_scale::options options;
    CLI::App app{
        "Speed-up of data-parallel training against the number of workers, by algorithm, without "
        "and with fusion and overlap: from the cost model, and measured where asked."};
    coll_scale::declare(app, options);
    try {
        app.parse(argc, argv);
        coll_scale::scale(options);
        return 0;
    } catch (CLI::ParseError const& e) {
        return app.exit(e) == 0 ? 0 : 2;
    } catch (collectives::usage_error const& e) {
        fmt::print(stderr, "coll_scale: {}\n", e.what());
        return 2;
    } catch (std::exception const& e) {
        fmt::print(stderr, "coll_scale: {}\n", e.what());
        return 1;
    }
}
