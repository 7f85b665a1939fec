// SPDX-License-Identifier: BSD-3-Clause
#include "synchronise.hpp"

#include "passes.hpp"
#include "report.hpp"

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

namespace trainer::studies {
namespace {

struct synchronise_plan {
    settings base;
    double link, latency;  // as the page states them
    int steps;             // that are measured
    std::vector<int> overlap_batches;
};

synchronise_plan plan_for_synchronise(bool quick) {
    synchronise_plan p{};
    p.base.model = "conv";
    p.base.hidden = quick ? 256 : 128;
    p.base.ranks = 4;
    p.base.batch = 16;
    p.base.epochs = 3;
    p.base.rate = 0.01;
    p.base.algorithm = "ring";
    p.base.prefetch = 0;
    p.base.slow_motion = 60;
    p.link = quick ? 125e6 : 25e6;
    p.latency = quick ? 20e-6 : 100e-6;
    p.steps = 6;
    p.overlap_batches = quick ? std::vector{512} : std::vector{64, 128, 256};
    return p;
}

/// The same in slow motion: links too are so many times slower.
settings over_links(synchronise_plan const& p, settings how) {
    how.link = p.link / how.slow_motion;
    how.latency = p.latency * how.slow_motion;
    how.in_step = true;
    return how;
}

mean_step measure(synchronise_plan const& p, settings const& how, data_set const& data, int group) {
    auto slow = over_links(p, how);
    slow.in_step = group == 1;
    slow.stop_after = (p.steps / group + 2) * group;
    auto const t = typical_step(learn(slow, data), static_cast<std::size_t>(group));
    auto const by = how.slow_motion * how.accumulate;  // for as many images as one pass has
    return {t.seconds / by, t.compute / by, t.exposed / by, t.idle / by};
}

struct cure {
    std::string name;
    std::function<void(settings&)> add;  // to what the rows before have
    bool learns_otherwise;
};

std::vector<cure> cures() {
    return {
        {"4 ranks: one tensor after the other",
         [](settings& s) {
             s.threshold = 0;
             s.under_way = 1;
             s.moves = overlap::off;
         },
         true},
        {"+ fusion",
         [](settings& s) {
             s.threshold = 64 << 20;
             s.under_way = 64;
         },
         false},
        {"+ overlap in buckets of 64 KiB",
         [](settings& s) {
             s.threshold = 64 << 10;
             s.moves = overlap::thread;
         },
         false},
        {"+ accumulation: 4 passes per step",
         [](settings& s) {
             s.accumulate = 4;
             s.rate_batch = s.batch;
             s.warm_up = 1;
         },
         true},
        {"+ 16 bits (bfloat16)", [](settings& s) { s.wire = format::brain; }, true},
        {"instead: local SGD with averages every 16 steps",
         [](settings& s) {
             s.wire = format::single;
             s.accumulate = 1;
             s.rate_batch = 0;
             s.warm_up = 0;
             s.moves = overlap::calls;
             s.average_every = 16;
         },
         true},
    };
}

void show_cures(study_report& report, synchronise_plan const& p, data_set const& data) {
    table t{
        "cures",
        fmt::format("Milliseconds for {} images, over links of {:g} Mbit/s and {:g} us a "
                    "message; accuracy after {} epochs.",
                    p.base.batch, p.link * 8e-6, p.latency * 1e6, p.base.epochs),
        {"", "ms", "times one process", "computing", "exposed communication", "idle", "accuracy"},
        {}};
    figure f{"cures",
             "Small batches over slow links, and what helps",
             "Each bar adds a cure to the one before; the last is another way.",
             {"row of the table", 0, 0.4, 7.6},
             {"times one process", 0, 0},
             {{"measured", {}, drawn::bars}}};
    auto const all = cures();
    auto const row = [&](std::string const& name, mean_step const& m, double one, double accuracy) {
        t.rows.push_back(
            {name, fmt::format("{:.2f}", m.seconds * 1e3), fmt::format("{:.2f}", m.seconds / one),
             fmt::format("{:.2f}", m.compute * 1e3), fmt::format("{:.2f}", m.exposed * 1e3),
             fmt::format("{:.2f}", m.idle * 1e3), fmt::format("{:.3f}", accuracy)});
        f.curves[0].points.push_back({double(t.rows.size()), m.seconds / one});
    };
    auto const accuracy_of = [&](settings how) {
        how.slow_motion = 1;
        return learn(how, data).accuracy();
    };
    auto how = p.base;
    how.ranks = 1;
    report.at(0, static_cast<int>(all.size()) + 1, "one process");
    auto const alone = measure(p, how, data, 1);
    row("one process", alone, alone.seconds, accuracy_of(how));
    how.ranks = p.base.ranks;
    double accuracy = 0;
    for (auto const& c : all) {
        report.at(static_cast<int>(t.rows.size()), static_cast<int>(all.size()) + 1, c.name);
        c.add(how);
        auto const m = measure(p, how, data, std::max(1, how.average_every));
        if (c.learns_otherwise) { accuracy = accuracy_of(how); }
        row(c.name, m, alone.seconds, accuracy);
    }
    report.add(t);
    report.add(f);
}

/// What of the communication can be hidden behind the backward pass: plan_fusion's answer for these
/// links and this pass.
collectives::fusion_prediction predicted(synchronise_plan const& p, settings const& how,
                                         data_set const& data) {
    auto const pass = time_pass(job{how, data}, how.batch / how.ranks);
    auto const rounds = 2.0 * (how.ranks - 1);
    return collectives::plan_fusion(pass.ready,
                                    {rounds * p.latency, rounds / how.ranks / p.link, 0})
        .best;
}

void show_overlap(study_report& report, synchronise_plan const& p, data_set const& data) {
    table t{"overlap",
            "Milliseconds of a step of 4 ranks: communication after the backward pass, and what is "
            "left of it when buckets travel during it. \"Can be hidden\" is calculated: from when "
            "each gradient is ready, and what buckets take on these links.",
            {"batch", "computing", "communication", "left with overlap", "hidden", "can be hidden",
             "hidden of that"},
            {}};
    figure f{
        "overlap",
        "Communication that overlap hides",
        "Milliseconds of a step of 4 ranks.",
        {"images of a batch", 2},
        {"ms"},
        {{"communication", {}}, {"left with overlap", {}}, {"can be hidden", {}, drawn::dashed}}};
    for (auto const size : p.overlap_batches) {
        report.at(static_cast<int>(t.rows.size()), static_cast<int>(p.overlap_batches.size()),
                  fmt::format("overlap, batch {}", size));
        auto how = p.base;
        how.batch = size;
        auto const can = predicted(p, how, data);
        how.moves = overlap::off;
        auto const off = measure(p, how, data, 1);
        how.moves = overlap::thread;
        how.threshold = can.threshold;
        auto const on = measure(p, how, data, 1);
        auto const hidden = off.exposed - on.exposed;
        t.rows.push_back(
            {std::to_string(size), fmt::format("{:.2f}", off.compute * 1e3),
             fmt::format("{:.2f}", off.exposed * 1e3), fmt::format("{:.2f}", on.exposed * 1e3),
             fmt::format("{:.2f}", hidden * 1e3), fmt::format("{:.2f}", can.hidden() * 1e3),
             can.hidden() > 0 ? fmt::format("{:.2f}", hidden / can.hidden()) : "-"});
        f.curves[0].points.push_back({double(size), off.exposed * 1e3});
        f.curves[1].points.push_back({double(size), on.exposed * 1e3});
        f.curves[2].points.push_back({double(size), can.hidden() * 1e3});
    }
    report.add(t);
    report.add(f);
}

}  // namespace

void synchronise(study_report& report) {
    auto const p = plan_for_synchronise(report.quick());
    auto const data = first_images(report.data(), 4096, 2000);
    auto const net = job{p.base, data}.make_network();
    report.say(fmt::format(
        "{}; {} images to learn from and {} to test. Everything is measured in slow motion: "
        "computing and links are {:g} times slower, and times are divided by that.",
        net.description(), data.train.size(), data.test.size(), p.base.slow_motion));
    show_cures(report, p, data);
    show_overlap(report, p, data);
}

}  // namespace trainer::studies
