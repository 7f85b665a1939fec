// SPDX-License-Identifier: BSD-3-Clause
#include "search.hpp"

#include "report.hpp"
#include "training.hpp"
#include "trials.hpp"

#include "../compare/mailbox.hpp"

#include <collectives/collectives.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <string>
#include <vector>

namespace trainer::studies {
namespace {

constexpr int rank_count = 4;

/// What of a trial fits into a mailbox as it is.
struct result {
    double rate, accuracy;
    int batch, epochs, ranks;
};

struct found {
    std::vector<result> trials;     ///< the best first
    std::vector<float> parameters;  ///< of the best
    std::vector<rung_seen> rungs;
    double seconds = 0;

    result const& of(result const& same) const {
        return *std::ranges::find_if(
            trials, [&](result const& r) { return r.rate == same.rate && r.batch == same.batch; });
    }
    int epochs() const {
        int sum = 0;
        for (auto const& t : trials) { sum += t.epochs; }
        return sum;
    }
};

struct search_plan {
    settings how;
    std::vector<double> rates;
    std::vector<int> batches;
    int epochs;
};

search_plan plan_for_search(bool quick) {
    search_plan p{};
    p.how.hidden = 64;
    p.how.prefetch = 0;
    p.rates = quick ? std::vector{0.01, 0.05, 0.2} : std::vector{0.003, 0.01, 0.03, 0.1, 0.3};
    p.batches = quick ? std::vector{20, 100} : std::vector{16, 64, 256};
    p.epochs = 8;
    p.how.epochs = p.epochs;
    return p;
}

/// Over processes, of which some may be killed; the first that is left tells what was found.
found over_processes(int size, search const& what, data_set const& data, search_plan const& p) {
    mailbox results;
    auto const begin = std::chrono::steady_clock::now();
    try {
        collectives::shm::run(size, [&](collectives::communicator& comm) {
            auto trials = grid(what.how, data, p.rates, p.batches);
            std::vector<rung_seen> rungs;
            auto const rank = find_best(comm, what, data, trials,
                                        [&](rung_seen const& r) { rungs.push_back(r); });
            if (rank != 0) { return; }
            std::vector<result> seen;
            for (auto const& t : trials) {
                seen.push_back({t.rate, t.accuracy, t.batch, t.epochs, t.ranks});
            }
            results.post(seen);
            results.post(trials.front().now.parameters);
            results.post(rungs);
        });
    } catch (collectives::run_error const& e) {  // of the rank that was to be killed
        if (what.dies_in_rung < 0 || e.signal() != SIGKILL) { throw; }
    }
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
    results.open();
    found f;
    f.trials = results.take<result>();
    f.parameters = results.take<float>();
    f.rungs = results.take<rung_seen>();
    f.seconds = took.count();
    return f;
}

struct named {
    char const* name;
    found what;
};

void show_trials(study_report& report, search_plan const& p, std::vector<named> const& all) {
    table t{
        "trials",
        fmt::format("All trials, the best of the grid first: accuracy after {} epochs, and after "
                    "as many as halving left them.",
                    p.epochs),
        {"rate", "batch", "grid by 4 ranks", "grid by one process", "epochs in halving",
         "accuracy after these", "epochs with a loss", "accuracy with a loss"},
        {}};
    for (auto const& r : all[0].what.trials) {
        auto const& one = all[1].what.of(r);
        auto const& half = all[2].what.of(r);
        auto const& lost = all[3].what.of(r);
        t.rows.push_back({fmt::format("{:g}", r.rate), std::to_string(r.batch),
                          fmt::format("{:.4f}", r.accuracy), fmt::format("{:.4f}", one.accuracy),
                          std::to_string(half.epochs), fmt::format("{:.4f}", half.accuracy),
                          std::to_string(lost.epochs), fmt::format("{:.4f}", lost.accuracy)});
    }
    report.add(t);
    figure f{"trials",
             fmt::format("Accuracy after {} epochs, by rate and batch", p.epochs),
             "The grid, each trial on one of four ranks.",
             {"learning rate", 10},
             {"accuracy in test"},
             {}};
    for (auto const batch : p.batches) {
        f.curves.push_back({fmt::format("batch {}", batch), {}});
        for (auto const rate : p.rates) {
            auto const& r = all[0].what.of({rate, 0, batch, 0, 0});
            f.curves.back().points.push_back({rate, r.accuracy});
        }
    }
    report.add(f);
}

/// The parameters that one process finds with the same rate and batch, all epochs in one go.
std::vector<float> again(search_plan p, result const& best, data_set const& data) {
    p.rates = {best.rate};
    p.batches = {best.batch};
    return over_processes(1, {p.how, {{p.epochs, 1}}, -1}, data, p).parameters;
}

double difference(std::vector<float> const& a, std::vector<float> const& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(double(a[i]) - double(b.at(i))));
    }
    return most;
}

void show_ways(study_report& report, search_plan const& p, data_set const& data,
               std::vector<named> const& all) {
    table cost{
        "ways",
        "What each search took, and what it found. Epochs are of all trials together. The "
        "last column: the largest difference of a parameter of the best to those that one "
        "process finds with the same rate and batch.",
        {"search", "epochs", "seconds", "best rate and batch", "accuracy", "from one process"},
        {}};
    table rungs{
        "rungs",
        "Which ranks trained which trials. Each trial has more ranks as fewer trials are left.",
        {"search", "until epoch", "trials", "ranks", "groups"},
        {}};
    for (auto const& n : all) {
        auto const& best = n.what.trials.front();
        auto const gap = difference(n.what.parameters, again(p, best, data));
        cost.rows.push_back({n.name, std::to_string(n.what.epochs()),
                             fmt::format("{:.1f}", n.what.seconds),
                             fmt::format("{:g} and {}", best.rate, best.batch),
                             fmt::format("{:.4f}", best.accuracy), fmt::format("{:.1e}", gap)});
        for (auto const& r : n.what.rungs) {
            rungs.rows.push_back({n.name, std::to_string(r.epochs), std::to_string(r.trials),
                                  std::to_string(r.ranks), std::to_string(r.groups)});
        }
    }
    report.add(cost);
    report.add(rungs);
}

}  // namespace

void search_study(study_report& report) {
    auto const p = plan_for_search(report.quick());
    auto const data = first_images(report.data(), 4096, 2000);
    search what{p.how, {{p.epochs, 1}}, -1};
    std::vector<named> all;
    auto const run = [&](char const* name, int size) {
        report.at(static_cast<int>(all.size()), 4, name);
        all.push_back({name, over_processes(size, what, data, p)});
    };
    report.say(fmt::format("{} trials over {} ranks: {} images of {} to learn from and {} to test.",
                           p.rates.size() * p.batches.size(), rank_count, data.train.size(),
                           data.name, data.test.size()));
    run("grid by 4 ranks", rank_count);
    run("grid by one process", 1);
    what.rungs = {{1, 2}, {2, 2}, {4, 2}, {p.epochs, 1}};
    run("halving by 4 ranks", rank_count);
    what.dies_in_rung = 1;
    what.how.victim.rank = 2;
    run("halving where a rank dies", rank_count);
    show_trials(report, p, all);
    show_ways(report, p, data, all);
}

}  // namespace trainer::studies
