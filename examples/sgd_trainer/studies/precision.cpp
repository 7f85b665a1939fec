// SPDX-License-Identifier: BSD-3-Clause
#include "precision.hpp"

#include "report.hpp"
#include "short_numbers.hpp"
#include "short_training.hpp"
#include "training.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>

namespace trainer::studies {
namespace {

constexpr int map_side = 1024;
constexpr double of_map = 1.0 / (map_side * map_side);
constexpr int least_exponent = -48;  // of the histogram

struct named_format {
    format is;
    char const* name;
};
constexpr std::array<named_format, 3> formats{
    {{format::single, "float"}, {format::half, "float16"}, {format::brain, "bfloat16"}}};

short_plan plan_for(study_report const& report) {
    short_plan plan;
    if (report.quick()) {
        plan.hidden = {32, 32};
        plan.epochs = 12;
        plan.batch = 50;
    } else {
        plan.epochs = 5;
    }
    return plan;
}

/// The same in 16 bits as is usual: a loss scale for float16, float masters for both.
short_plan in(format numbers, short_plan plan) {
    plan.numbers = numbers;
    if (numbers == format::half) {
        plan.scales = scaling::adapted;
        plan.scale = 32768;
    }
    return plan;
}

void show_formats(study_report& report, data_set const& data) {
    table t{
        "formats",
        fmt::format("Each format with the mean over the images as loss. Memory is that of one of "
                    "two ranks' weights, gradients, activations and derivatives; float masters "
                    "and velocity are beside them in all three. float16 has a loss scale. It is "
                    "converted by {}.",
                    conversion_of_float16()),
        {"numbers", "bytes in memory", "sent per step in bytes", "CPU ms per step", "against float",
         "accuracy"},
        {}};
    double of_float = 0;
    int done = 0;
    for (auto const& f : formats) {
        report.at(done++, 3, f.name);
        auto const seen = learn_in_short(in(f.is, plan_for(report)), data);
        if (f.is == format::single) { of_float = seen.step_seconds; }
        t.rows.push_back({f.name, std::to_string(seen.memory), fmt::format("{:.0f}", seen.wire),
                          fmt::format("{:.3f}", seen.step_seconds * 1e3),
                          fmt::format("{:.2f}", seen.step_seconds / of_float),
                          fmt::format("{:.4f}", seen.accuracy)});
    }
    report.add(t);
}

/// What becomes of gradients in float16.
struct fate {
    std::string_view name;
    double zero = 0, vanish = 0, subnormal = 0, normal = 0;
    std::vector<double> by_exponent = std::vector<double>(-least_exponent + 8);
};

fate fate_of(std::vector<float> const& gradient, std::string_view name) {
    fate f{name};
    auto const one = 1 / static_cast<double>(gradient.size());
    for (auto const g : gradient) {
        if (g == 0) {
            f.zero += one;
            continue;
        }
        auto const size = std::abs(static_cast<double>(g));
        auto const exponent =
            std::max(static_cast<int>(std::floor(std::log2(size))), least_exponent);
        auto const bin = static_cast<std::size_t>(exponent - least_exponent);
        f.by_exponent[std::min(bin, f.by_exponent.size() - 1)] += one;
        auto const kept = static_cast<float>(static_cast<float16>(g)) != 0;
        (!kept ? f.vanish : size < std::ldexp(1, -14) ? f.subnormal : f.normal) += one;
    }
    return f;
}

void show_gradients(study_report& report, data_set const& data) {
    std::vector<fate> fates;
    for (auto const weight : {1.0, of_map}) {
        report.at(static_cast<int>(fates.size()), 2, "gradients in float");
        auto plan = plan_for(report);
        plan.loss_weight = weight;
        fates.push_back(fate_of(learn_in_short(plan, data).gradient,
                                weight == 1 ? "mean over the images" : "mean over the map"));
    }
    table t{
        "gradients",
        "Gradients of the last step, computed in float, and what becomes of them in float16: the "
        "least number above 0 is 2^-24, and below 2^-14 there are fewer digits. In per cent of all "
        "gradients.",
        {"loss", "0 in float", "vanish in float16", "lose digits", "stay whole"},
        {}};
    auto const percent = [](double part) { return fmt::format("{:.1f}", part * 100); };
    figure f{"gradients",
             "How large the gradients are",
             "Computed in float. In float16 what is left of -25 vanishes, and what is left of -14 "
             "loses digits.",
             {"binary exponent of the gradient"},
             {"% of all gradients"},
             {}};
    for (auto const& seen : fates) {
        t.rows.push_back({std::string(seen.name), percent(seen.zero), percent(seen.vanish),
                          percent(seen.subnormal), percent(seen.normal)});
        f.curves.push_back({std::string(seen.name), {}, drawn::bars});
        for (std::size_t i = 0; i < seen.by_exponent.size(); ++i) {
            f.curves.back().points.push_back(
                {double(i) + least_exponent, seen.by_exponent[i] * 100});
        }
    }
    report.add(t);
    report.add(f);
}

void show_scales(study_report& report, data_set const& data) {
    auto const step = report.quick() ? 16 : 4;
    table t{"scales",
            "Accuracy in float16 with float masters and a fixed loss scale. What overflows is left "
            "out.",
            {"loss scale", "mean over the images", "mean over the map"},
            {}};
    figure f{
        "scales",
        "Accuracy in float16 against the loss scale",
        fmt::format("A scale of 1 is none. The map has {0} x {0} positions, of which one holds "
                    "the image.",
                    map_side),
        {"loss scale, as a power of 2"},
        {"accuracy in test", 0, 0, 1},
        {{"mean over the images", {}}, {"mean over the map", {}}}};
    for (int power = -16; power <= 24; power += step) {
        t.rows.push_back({fmt::format("2^{}", power)});
        for (std::size_t c = 0; c < 2; ++c) {
            report.at(power + 16, 41, fmt::format("loss scale 2^{}", power));
            auto plan = plan_for(report);
            plan.numbers = format::half;
            plan.loss_weight = c == 0 ? 1 : of_map;
            plan.scales = scaling::fixed;
            plan.scale = std::ldexp(1, power);
            auto const seen = learn_in_short(plan, data);
            t.rows.back().push_back(fmt::format("{:.4f}", seen.accuracy));
            f.curves[c].points.push_back({double(power), seen.accuracy});
        }
    }
    report.add(t);
    report.add(f);
}

void show_cures(study_report& report, data_set const& data) {
    struct named_way {
        char const* name;
        format numbers;
        bool masters, scaled;
    };
    constexpr std::array<named_way, 7> ways{{{"float", format::single, true, false},
                                             {"float16 alone", format::half, false, false},
                                             {"float16 and masters", format::half, true, false},
                                             {"float16 and loss scale", format::half, false, true},
                                             {"float16 and both", format::half, true, true},
                                             {"bfloat16 alone", format::brain, false, false},
                                             {"bfloat16 and masters", format::brain, true, false}}};
    table t{"cures",
            "With the mean over the map. The loss scale begins at 32768; it is halved where a step "
            "overflows, and doubled after 200 that did not.",
            {"numbers", "accuracy", "loss of the last epoch", "last scale", "steps left out"},
            {}};
    int done = 0;
    for (auto const& w : ways) {
        report.at(done++, static_cast<int>(ways.size()), w.name);
        auto plan = plan_for(report);
        plan.numbers = w.numbers;
        plan.masters = w.masters;
        plan.loss_weight = of_map;
        plan.scales = w.scaled ? scaling::adapted : scaling::none;
        plan.scale = 32768;
        auto const seen = learn_in_short(plan, data);
        t.rows.push_back({w.name, fmt::format("{:.4f}", seen.accuracy),
                          fmt::format("{:.3f}", seen.loss), fmt::format("{:.0f}", seen.last_scale),
                          std::to_string(seen.skipped)});
    }
    report.add(t);
}

}  // namespace

void precision(study_report& report) {
    auto const data = first_images(report.data(), 8192, 4000);
    report.say(fmt::format("{} images of {} to learn from and {} to test, over two ranks.",
                           data.train.size(), data.name, data.test.size()));
    show_formats(report, data);
    show_gradients(report, data);
    show_scales(report, data);
    show_cures(report, data);
}

}  // namespace trainer::studies
