// SPDX-License-Identifier: BSD-3-Clause
#include "loading.hpp"

#include "report.hpp"
#include "training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace trainer::studies {
namespace {

constexpr std::array<int, 4> workers{1, 2, 4, 8};

struct disk {
    std::string name;
    disk_speed speed;
};

/// Of rank 0's steps, after the first ones, which wait for the first images of all.
struct waiting {
    double step = 0, loading = 0;  // milliseconds: medians
    double part = 0;               // of all time
};

double median(std::vector<double> values) {
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

waiting measure(settings const& how, data_set const& data) {
    auto const seen = learn(how, data);
    auto const& steps = seen.steps.front();
    std::vector<double> whole, loading;
    double all = 0, waited = 0;
    for (auto i = std::min<std::size_t>(8, steps.size() / 2); i < steps.size(); ++i) {
        whole.push_back(double(steps[i].end_ns - steps[i].begin_ns) * 1e-6);
        loading.push_back(double(steps[i].loading_ns) * 1e-6);
        all += whole.back();
        waited += loading.back();
    }
    return {median(whole), median(loading), waited / all};
}

}  // namespace

void loading(study_report& report) {
    auto const data = first_images(report.data(), 4096, 500);
    settings how;
    how.ranks = 1;
    how.batch = report.quick() ? 50 : 128;
    how.hidden = report.quick() ? 64 : 128;
    how.epochs = 1;
    how.prefetch = 2 * workers.back();
    how.slow_motion = report.quick() ? 60 : 30;  // steps as long as a larger network's
    auto const bytes = static_cast<double>(how.batch) * double(data.pixels_per_image());
    report.at(0, 1, "memory");
    auto const free = measure(how, data);
    auto const step = free.step * 1e-3;
    // A step's images take as long as so many steps, or arrive so much after they were asked for.
    auto const late = report.quick() ? 6 : 3;
    std::vector<disk> const disks{{"memory", {}},
                                  {"quick disk", {bytes / (step * 0.5), 0}},
                                  {"slow disk", {bytes / (step * late), 0}},
                                  {"far disk", {0, step * late}}};
    table speeds{
        "disks",
        fmt::format("The disks. A step asks for {:.0f} bytes, and takes {:.3f} ms with images "
                    "from memory.",
                    bytes, free.step),
        {"disk", "MB per second", "ms until it answers", "steps per second that it feeds"},
        {}};
    table t{
        "waiting",
        "The part of the time that the rank waits for images, in per cent, and a step's time in "
        "ms (median), by the number of loader threads.",
        {"disk", "1 waits", "2 wait", "4 wait", "8 wait", "ms by 1", "ms by 2", "ms by 4",
         "ms by 8"},
        {}};
    figure f{"waiting",
             "Waiting for images",
             "One rank; a thread per loader.",
             {"loader threads", 2},
             {"% of the time", 0, 0, 100},
             {}};
    int done = 0;
    for (auto const& d : disks) {
        auto const rate = d.speed.bytes_per_second, delay = d.speed.delay;
        speeds.rows.push_back({d.name, rate == 0 ? "-" : fmt::format("{:.1f}", rate * 1e-6),
                               fmt::format("{:.2f}", delay * 1e3),
                               rate > 0    ? fmt::format("{:.0f}", rate / bytes)
                               : delay > 0 ? fmt::format("{:.0f} per loader", 1 / delay)
                                           : "-"});
        f.curves.push_back({d.name, {}});
        std::vector<std::string> waits, times;
        for (auto const count : workers) {
            report.at(done++, static_cast<int>(disks.size() * workers.size()),
                      fmt::format("{}, {} loaders", d.name, count));
            how.loaders = count;
            how.disk_rate = rate;
            how.disk_delay = delay;
            auto const seen = measure(how, data);
            waits.push_back(fmt::format("{:.1f}", seen.part * 100));
            times.push_back(fmt::format("{:.3f}", seen.step));
            f.curves.back().points.push_back({double(count), seen.part * 100});
        }
        t.rows.push_back({d.name});
        t.rows.back().insert(t.rows.back().end(), waits.begin(), waits.end());
        t.rows.back().insert(t.rows.back().end(), times.begin(), times.end());
    }
    report.add(speeds);
    report.add(t);
    report.add(f);
}

}  // namespace trainer::studies
