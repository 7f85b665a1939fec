// SPDX-License-Identifier: BSD-3-Clause
#include "speed_up.hpp"

#include "one_clock.hpp"
#include "passes.hpp"
#include "report.hpp"

#include "../../../tools/coll_scale/step.hpp"

#include <collectives/algorithm/all.hpp>

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

namespace trainer::studies {
namespace {

namespace coll = collectives;

struct speed_up_plan {
    settings base;
    int batch_of_rank;
    std::vector<int> ranks;
    int steps;
    double slow_motion;
};

speed_up_plan plan_for_speed_up(bool quick) {
    speed_up_plan p{};
    p.base.model = "conv";
    p.base.hidden = quick ? 256 : 128;
    p.base.rate = 0.01;
    p.base.algorithm = "ring";
    p.base.prefetch = 0;
    p.base.moves = overlap::off;  // all gradients in one bucket
    p.batch_of_rank = 32;
    p.ranks = quick ? std::vector{1, 2, 4} : std::vector{1, 2, 4, 8, 16};
    p.steps = quick ? 10 : 40;
    p.slow_motion = quick ? 400 : 300;
    return p;
}

struct wires {
    char const* name;
    char const* of_coll_scale;

    coll::loggp prices() const {
        for (auto const& n : coll_scale::networks) {
            if (n.name == of_coll_scale) {
                return {n.at.alpha, 0, 0, n.at.beta, n.at.gamma, {}, {}};
            }
        }
        throw std::logic_error("no such network");
    }
};
constexpr std::array<wires, 2> networks{{{"10 Gbit/s", "ethernet10"}, {"1 Gbit/s", "ethernet1"}}};

/// Images per second over those of one rank.
double speed_up_of(int ranks, double one, double seconds) { return ranks * one / seconds; }

/// The step of ranks that run side by side, in slow motion, over links of the same prices.
double measure(speed_up_plan const& p, settings how, data_set const& data,
               coll::loggp const& network) {
    how.slow_motion = p.slow_motion;
    how.link = 1 / (network.byte * p.slow_motion);
    how.latency = network.latency * p.slow_motion;
    how.stop_after = std::min(p.steps, 7);
    how.epochs = 1000;
    return typical_step(learn(how, data)).seconds / p.slow_motion;
}

figure where_time_went() {
    return {"time",
            "Where the time of a step goes, over 10 Gbit/s",
            "Milliseconds. Ranks computed in turn and were put on one clock.",
            {"ranks", 2},
            {"ms"},
            {{"step", {}}, {"computing", {}}, {"communication", {}}, {"idle", {}}}};
}

void show_clock(study_report& report, speed_up_plan const& p, data_set const& data) {
    figure f{
        "speed_up",
        "Speed-up of training over 1 to 16 ranks",
        "One clock: computed for real, in turn; all-reduces simulated over links of that rate.",
        {"ranks", 2},
        {"times one rank", 2},
        {{"as many times as ranks", {}, drawn::dashed}}};
    auto time = where_time_went();
    for (auto const n : p.ranks) { f.curves[0].points.push_back({double(n), double(n)}); }
    curve measured{"measured, 10 Gbit/s", {}, drawn::marks};
    int done = 0;
    for (auto const& on : networks) {
        bool const is_first = &on == networks.data();
        table t{is_first ? "clock_10" : "clock_1",
                fmt::format("Links of {}: milliseconds of a step of {} images per rank.", on.name,
                            p.batch_of_rank),
                {"ranks", "step", "computing", "communication", "idle", "speed-up"},
                {}};
        if (is_first) { t.columns.emplace_back("measured in slow motion"); }
        curve c{fmt::format("one clock, {}", on.name), {}};
        double one = 0, one_measured = 0;
        for (auto const n : p.ranks) {
            report.at(done++, static_cast<int>(p.ranks.size() * networks.size()),
                      fmt::format("{} ranks over {}", n, on.name));
            auto how = p.base;
            how.ranks = n;
            how.batch = n * p.batch_of_rank;
            auto const step = train_on_one_clock(how, data, p.steps, on.prices());
            if (n == 1) { one = step.seconds; }
            auto const gained = speed_up_of(n, one, step.seconds);
            c.points.push_back({double(n), gained});
            t.rows.push_back({std::to_string(n), fmt::format("{:.3f}", step.seconds * 1e3),
                              fmt::format("{:.3f}", step.compute * 1e3),
                              fmt::format("{:.3f}", step.exposed * 1e3),
                              fmt::format("{:.3f}", step.idle * 1e3),
                              fmt::format("{:.2f}", gained)});
            if (!is_first) { continue; }
            auto const seen = measure(p, how, data, on.prices());
            if (n == 1) { one_measured = seen; }
            t.rows.back().push_back(fmt::format("{:.2f}", speed_up_of(n, one_measured, seen)));
            measured.points.push_back({double(n), speed_up_of(n, one_measured, seen)});
            time.curves[0].points.push_back({double(n), step.seconds * 1e3});
            time.curves[1].points.push_back({double(n), step.compute * 1e3});
            time.curves[2].points.push_back({double(n), step.exposed * 1e3});
            time.curves[3].points.push_back({double(n), step.idle * 1e3});
        }
        report.add(t);
        f.curves.push_back(c);
    }
    f.curves.push_back(measured);
    report.add(f);
    report.add(time);
}

/// 14 days of one worker, with so many times its speed.
std::string instead_of_14_days(double gained) {
    auto const hours = 14 * 24 / gained;
    return hours >= 24  ? fmt::format("{:.1f} days", hours / 24)
           : hours >= 1 ? fmt::format("{:.1f} hours", hours)
                        : fmt::format("{:.0f} minutes", hours * 60);
}

void show_cluster(study_report& report) {
    auto const model = coll_scale::find_model("resnet50", coll_scale::own_models());
    coll_scale::trainer const on(model, {});
    coll_scale::way const both{true, true, 1};
    table t{"cluster",
            "ResNet-50 over 10 Gbit/s Ethernet, 32 images per worker and step, fused and "
            "overlapped: calculated from the cost model, as `coll_scale` does.",
            {"workers", "ring", "14 days become", "ms of computing", "ms not hidden",
             "parameter server"},
            {}};
    figure f{"cluster",
             "ResNet-50 over 10 Gbit/s Ethernet, calculated",
             "Speed-up with fusion and overlap, against workers.",
             {"workers", 2},
             {"times one worker", 2},
             {{"as many times as workers", {}, drawn::dashed},
              {"ring", {}},
              {"parameter server (star)", {}}}};
    for (int n = 1; n <= 1024; n *= 2) {
        auto const ring = on.predict(coll::ring{}, n, both);
        auto const star = on.predict(coll::star{}, n, both);
        t.rows.push_back(
            {std::to_string(n), fmt::format("{:.2f}", ring.speed_up),
             instead_of_14_days(ring.speed_up), fmt::format("{:.1f}", on.of(n).seconds() * 1e3),
             fmt::format("{:.1f}", ring.exposed * 1e3), fmt::format("{:.2f}", star.speed_up)});
        f.curves[0].points.push_back({double(n), double(n)});
        f.curves[1].points.push_back({double(n), ring.speed_up});
        f.curves[2].points.push_back({double(n), star.speed_up});
    }
    report.add(t);
    report.add(f);
}

}  // namespace

void speed_up(study_report& report) {
    auto const p = plan_for_speed_up(report.quick());
    auto const data = first_images(report.data(), 4096, 2000);
    report.say(fmt::format("{}; each rank takes {} images of a step.",
                           job{p.base, data}.make_network().description(), p.batch_of_rank));
    show_clock(report, p, data);
    show_cluster(report);
}

}  // namespace trainer::studies
