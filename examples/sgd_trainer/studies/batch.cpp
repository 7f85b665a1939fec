// SPDX-License-Identifier: BSD-3-Clause
#include "batch.hpp"

#include "report.hpp"
#include "training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace trainer::studies {
namespace {

constexpr int rule_batch = 32;  // the learning rate was chosen for it

struct variant {
    char const* name;
    bool rule, warm_up;
};
constexpr std::array<variant, 3> variants{
    {{"one rate", false, false}, {"linear rule", true, false}, {"rule and warm-up", true, true}}};

struct batch_plan {
    std::vector<int> batches;
    int epochs;
    double rate;
    double target;  // accuracy
};

settings settings_for(batch_plan const& p, int batch, variant const& v) {
    settings how;
    how.batch = batch;
    how.epochs = p.epochs;
    how.ranks = 1;
    how.hidden = 64;
    how.rate = p.rate;
    how.rate_batch = v.rule ? rule_batch : 0;
    how.falls = decay::cosine;
    how.warm_up = v.warm_up ? p.epochs / 4.0 : 0;
    return how;
}

/// The first epoch after which the accuracy is reached; none: nullptr.
epoch_seen const* reached(training_seen const& seen, double accuracy) {
    auto const at = std::ranges::find_if(
        seen.epochs, [&](epoch_seen const& e) { return e.accuracy >= accuracy; });
    return at == seen.epochs.end() ? nullptr : &*at;
}

/// [variant][batch]
using all_seen = std::array<std::vector<training_seen>, variants.size()>;

all_seen train_all(study_report& report, batch_plan const& p, data_set const& data) {
    all_seen all;
    auto const runs = static_cast<int>(variants.size() * p.batches.size());
    int done = 0;
    for (auto const size : p.batches) {
        for (std::size_t v = 0; v < variants.size(); ++v) {
            report.at(done++, runs, fmt::format("batch {}, {}", size, variants[v].name));
            all[v].push_back(learn(settings_for(p, size, variants[v]), data));
        }
    }
    return all;
}

void show_accuracy(study_report& report, batch_plan const& p, all_seen const& all) {
    table t{
        "accuracy",
        fmt::format("Accuracy on the test images after {} epochs. The rate is {} for {} images.",
                    p.epochs, p.rate, rule_batch),
        {"batch", "steps", "one rate", "linear rule", "rule and warm-up"},
        {}};
    for (std::size_t b = 0; b < p.batches.size(); ++b) {
        t.rows.push_back({std::to_string(p.batches[b]), std::to_string(all[0][b].last.step)});
        for (auto const& of_variant : all) {
            t.rows.back().push_back(fmt::format("{:.4f}", of_variant[b].accuracy()));
        }
    }
    report.add(t);
    figure f{"accuracy",
             fmt::format("Accuracy after {} epochs", p.epochs),
             fmt::format("The rate is {} for {} images.", p.rate, rule_batch),
             {"images of a batch", 2},
             {"accuracy in test"},
             {}};
    for (std::size_t v = 0; v < variants.size(); ++v) {
        f.curves.push_back({variants[v].name, {}});
        for (std::size_t b = 0; b < p.batches.size(); ++b) {
            f.curves.back().points.push_back({double(p.batches[b]), all[v][b].accuracy()});
        }
    }
    report.add(f);
}

void show_time(study_report& report, batch_plan const& p, all_seen const& all) {
    table t{
        "time",
        fmt::format("What one process needs to reach an accuracy of {}; `-`: not within {} epochs. "
                    "Seconds are processor time, with the tests after each epoch.",
                    p.target, p.epochs),
        {"batch", "seconds per epoch", "epochs by one rate", "seconds by one rate",
         "epochs by rule and warm-up", "seconds by rule and warm-up"},
        {}};
    figure f{"time",
             fmt::format("Time until an accuracy of {}", p.target),
             "Of one process. Where there is no point, it was not reached.",
             {"images of a batch", 2},
             {"seconds of the processor", 10},
             {{"one rate", {}}, {"rule and warm-up", {}}}};
    for (std::size_t b = 0; b < p.batches.size(); ++b) {
        double least = 1e300;
        for (auto const& of_variant : all) {
            least = std::min(least, of_variant[b].cpu_seconds / p.epochs);
        }
        std::vector<std::string> row{std::to_string(p.batches[b]), fmt::format("{:.3f}", least)};
        for (auto const v : {std::size_t{0}, std::size_t{2}}) {
            auto const* const at = reached(all[v][b], p.target);
            if (at == nullptr) {
                row.insert(row.end(), {"-", "-"});
                continue;
            }
            auto const epochs = at - all[v][b].epochs.data() + 1;
            auto const seconds = all[v][b].cpu_seconds / p.epochs * double(epochs);
            row.push_back(std::to_string(epochs));
            row.push_back(fmt::format("{:.2f}", seconds));
            f.curves[v / 2].points.push_back({double(p.batches[b]), seconds});
        }
        t.rows.push_back(row);
    }
    report.add(t);
    report.add(f);
}

/// One process and four ranks with the same batches.
void show_ranks(study_report& report, batch_plan const& p, data_set const& data) {
    auto how = settings_for(p, 256, variants[2]);
    report.at(0, 2, "one process");
    auto const one = learn(how, data);
    how.ranks = 4;
    report.at(1, 2, "four ranks");
    auto const four = learn(how, data);
    table t{
        "ranks",
        "One process with batches of 256, and four ranks with 64 of each: loss and accuracy after "
        "each epoch.",
        {"epoch", "loss of one process", "loss of 4 ranks", "accuracy of one process",
         "accuracy of 4 ranks"},
        {}};
    figure f{"ranks",
             "One process and four ranks with the same batches",
             "256 images per step: the four ranks take 64 each. The curves coincide.",
             {"epoch"},
             {"loss"},
             {{"one process", {}, drawn::line}, {"4 ranks", {}, drawn::marks}}};
    for (std::size_t e = 0; e < one.epochs.size(); ++e) {
        auto const& a = one.epochs[e];
        auto const& b = four.epochs[e];
        t.rows.push_back({std::to_string(e + 1), fmt::format("{:.5f}", a.loss),
                          fmt::format("{:.5f}", b.loss), fmt::format("{:.4f}", a.accuracy),
                          fmt::format("{:.4f}", b.accuracy)});
        f.curves[0].points.push_back({double(e + 1), a.loss});
        f.curves[1].points.push_back({double(e + 1), b.loss});
    }
    report.add(t);
    report.add(f);
}

}  // namespace

void batch_study(study_report& report) {
    auto const quick = report.quick();
    batch_plan const p{quick ? std::vector{8, 32, 512, 1500}
                             : std::vector{8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096},
                       quick ? 6 : 8, quick ? 0.1 : 0.02, quick ? 0.9 : 0.83};
    auto const data = first_images(report.data(), 12288, 4000);
    report.say(fmt::format("{} images of {} to learn from and {} to test; {} hidden units.",
                           data.train.size(), data.name, data.test.size(), 64));
    auto const all = train_all(report, p, data);
    show_accuracy(report, p, all);
    show_time(report, p, all);
    show_ranks(report, p, data);
}

}  // namespace trainer::studies
