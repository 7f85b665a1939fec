// SPDX-License-Identifier: BSD-3-Clause
#include "server.hpp"

#include "losses.hpp"
#include "passes.hpp"
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

namespace trainer::studies {
namespace {

constexpr int worker_count = 4;

struct server_plan {
    bool quick;
    settings base;
    double link;
    double target;  // accuracy
    double slower;  // the straggler, so many times
};

server_plan plan_for_server(bool quick) {
    server_plan p{};
    p.quick = quick;
    p.base.model = "conv";
    p.base.hidden = quick ? 64 : 128;
    p.base.batch = 64;
    p.base.epochs = quick ? 2 : 5;
    p.base.rate = quick ? 0.1 : 0.05;
    p.base.momentum = 0.5;
    p.base.algorithm = "ring";
    p.base.prefetch = 0;
    p.base.counted = true;
    p.base.slow_motion = quick ? 10 : 15;
    p.link = 50e6;
    p.target = 0.6;
    p.slower = quick ? 6 : 3;
    return p;
}

struct server_way {
    std::string name;
    bool quick_equal, quick_straggler;  // whether a quick study measures it, in each of two tables
    std::function<void(settings&)> set;
};

void serve(settings& s, method how, int servers) {
    s.how = how;
    s.servers = servers;
    s.ranks = worker_count + servers;
}

std::vector<server_way> server_ways() {
    auto const of = [](method how, int servers, int staleness = -1, bool damped = false) {
        return [=](settings& s) {
            serve(s, how, servers);
            s.staleness = staleness;
            s.damped = damped;
        };
    };
    return {
        {"ring", true, true, [](settings& s) { s.ranks = worker_count; }},
        {"1 server", true, false, of(method::server, 1)},
        {"2 servers", true, false, of(method::server, 2)},
        {"4 servers", true, true, of(method::server, 4)},
        {"async", false, false, of(method::async_server, 1)},
        {"async by 4", true, true, of(method::async_server, 4)},
        {"async by 4; damped", false, false, of(method::async_server, 4, -1, true)},
        {"async by 4; 2 ahead", false, true, of(method::async_server, 4, 2)},
    };
}

struct outcome {
    std::string name;
    training_seen seen;
    settings how;

    double seconds_to(double accuracy) const {
        for (auto const& e : seen.epochs) {
            if (e.accuracy >= accuracy) { return e.seconds / how.slow_motion; }
        }
        return -1;
    }
    double step() const {
        return seen.epochs.back().seconds / how.slow_motion / seen.epochs.back().steps;
    }
    /// Bytes that the busiest rank sends per step.
    double busiest() const {
        double most = 0;
        for (auto const& of_rank : seen.steps) {
            double sum = 0;
            for (auto const& s : of_rank) { sum += static_cast<double>(s.sent); }
            most = std::max(most, sum / static_cast<double>(of_rank.size()));
        }
        return most;
    }
    bool is_async() const { return how.how == method::async_server; }
    double mean_stale() const {
        double sum = 0;
        for (auto const& s : seen.steps.front()) { sum += s.stale; }
        return sum / worker_count / static_cast<double>(seen.steps.front().size());
    }
    int most(std::int32_t step_record::*what) const {
        int most = 0;
        for (auto const& s : seen.steps.front()) { most = std::max(most, s.*what); }
        return most;
    }
};

std::vector<outcome> learn_all(study_report& report, server_plan const& p, data_set const& data,
                               bool straggles) {
    std::vector<outcome> all;
    auto every = server_ways();
    std::erase_if(every, [&](server_way const& w) {
        return p.quick && !(straggles ? w.quick_straggler : w.quick_equal);
    });
    for (auto const& w : every) {
        report.at(static_cast<int>(all.size()), static_cast<int>(every.size()),
                  w.name + (straggles ? ", one rank slow" : ""));
        auto how = p.base;
        how.link = p.link / how.slow_motion;
        w.set(how);
        if (straggles) { how.straggler = {how.ranks - 1, p.slower}; }
        all.push_back({w.name, learn(how, data), how});
    }
    return all;
}

void show(study_report& report, server_plan const& p, std::vector<outcome> const& all,
          bool straggles) {
    table t{
        straggles ? "straggler" : "equal",
        fmt::format("Four ranks compute{}; links of {:g} Mbit/s; {} epochs. `-`: does not apply, "
                    "or not reached.",
                    straggles ? fmt::format(", one of them {:g} times slower", p.slower) : "",
                    p.link * 8e-6, p.base.epochs),
        {"who averages", "ms per step", fmt::format("seconds to {:g}", p.target), "accuracy",
         "KB that the busiest link sends per step", "stale: mean", "stale: most", "ahead: most"},
        {}};
    figure f{straggles ? "straggler" : "equal",
             straggles ? fmt::format("Accuracy against time, one of four ranks {:g} times slower",
                                     p.slower)
                       : std::string("Accuracy against time"),
             fmt::format("Four ranks compute, links of {:g} Mbit/s.", p.link * 8e-6),
             {"seconds"},
             {"accuracy in test"},
             {}};
    for (auto const& o : all) {
        auto const seconds = o.seconds_to(p.target);
        auto const if_async = [&](std::string const& text) { return o.is_async() ? text : "-"; };
        t.rows.push_back({o.name, fmt::format("{:.2f}", o.step() * 1e3),
                          seconds < 0 ? "-" : fmt::format("{:.2f}", seconds),
                          fmt::format("{:.4f}", o.seen.accuracy()),
                          fmt::format("{:.1f}", o.busiest() / 1e3),
                          if_async(fmt::format("{:.1f}", o.mean_stale())),
                          if_async(std::to_string(o.most(&step_record::most_stale))),
                          if_async(std::to_string(o.most(&step_record::ahead)))});
        if (o.name == "2 servers") { continue; }  // between its neighbours; seven can be told apart
        f.curves.push_back({o.name, {}});
        for (auto const& e : o.seen.epochs) {
            f.curves.back().points.push_back({e.seconds / o.how.slow_motion, e.accuracy});
        }
    }
    report.add(t);
    report.add(f);
}

/// A rank is killed in the middle: which trainings end, and what do the others go on from?
void show_losses(study_report& report, server_plan const& p, data_set const& data) {
    table t{"losses",
            "A process is killed in the middle of the training, which goes on with the others "
            "(`--on-loss continue`).",
            {"who averages", "who dies", "killed as it begins step", "went on after step",
             "ranks left", "accuracy"},
            {}};
    struct fall {
        char const* name;
        method how;
        int rank;
        char const* who;
    };
    constexpr std::array<fall, 5> falls{{{"ring", method::all_reduce, 2, "a rank"},
                                         {"1 server", method::server, 2, "a worker"},
                                         {"1 server", method::server, 0, "the server"},
                                         {"async", method::async_server, 2, "a worker"},
                                         {"async", method::async_server, 0, "the server"}}};
    for (auto const& of : falls) {
        report.at(static_cast<int>(t.rows.size()), static_cast<int>(falls.size()),
                  fmt::format("{}: {} dies", of.name, of.who));
        auto how = p.base;
        how.slow_motion = 1;
        how.counted = false;
        how.epochs = 8;
        if (of.how == method::all_reduce) {
            how.ranks = worker_count;
        } else {
            serve(how, of.how, 1);
        }
        how.on_loss = loss::go_on;
        how.victim = {of.rank, job{how, data}.steps_per_epoch() * how.epochs / 2};
        auto const s = train_through_a_loss(how, data);
        t.rows.push_back({of.name, of.who, std::to_string(how.victim.step),
                          s.ended ? std::to_string(s.resumed_at) : "it ended",
                          std::to_string(s.ranks), fmt::format("{:.4f}", s.accuracy)});
    }
    report.add(t);
}

}  // namespace

void server(study_report& report) {
    auto const p = plan_for_server(report.quick());
    auto const data = first_images(report.data(), 1536, 1000);
    report.say(fmt::format(
        "{}; {} images to learn from and {} to test; steps of {} images. Everything is measured in "
        "slow motion: computing and links are {:g} times slower, and times are divided by that.",
        job{p.base, data}.make_network().description(), data.train.size(), data.test.size(),
        p.base.batch, p.base.slow_motion));
    show(report, p, learn_all(report, p, data, false), false);
    show(report, p, learn_all(report, p, data, true), true);
    show_losses(report, p, data);
}

}  // namespace trainer::studies
