// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include "../coll_plot/chart.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace coll_scale {
namespace {

/// In the order in which they come.
template <class T, class Get>
std::vector<T> distinct(std::vector<row> const& rows, Get const& get) {
    std::vector<T> list;
    for (auto const& r : rows) {
        if (std::find(list.begin(), list.end(), get(r)) == list.end()) { list.push_back(get(r)); }
    }
    return list;
}

std::vector<row> of_way(std::vector<row> const& rows, way const& w) {
    std::vector<row> chosen;
    for (auto const& r : rows) {
        if (r.how.text() == w.text()) { chosen.push_back(r); }
    }
    return chosen;
}

/// A step of several passes does the work of several steps.
double for_one(way const& w, double seconds) { return 1e3 * seconds / w.accumulated; }

}  // namespace

std::string description(trainer const& t) {
    auto const& on = t.on();
    auto const compute = t.of(1);
    return fmt::format(
        "{}: {} tensors, {:.1f} M floats; {:.3g} us a round, {:.3g} ns a byte; {} samples of {} at "
        "{:g} TFLOP/s: {:.3g} ms",
        t.what().name, t.what().gradients.size(), static_cast<double>(t.what().elements()) / 1e6,
        on.at.alpha * 1e6, on.at.beta * 1e9, on.batch, on.splits ? "all workers" : "each worker",
        on.flops / 1e12, compute.seconds() * 1e3);
}

std::string as_table(std::vector<row> const& rows) {
    auto const algorithms =
        distinct<coll::any_algorithm>(rows, [](auto const& r) { return r.algorithm; });
    std::string out;
    for (auto const& w : ways) {
        auto const some = of_way(rows, w);
        out += fmt::format("{}\n{:>8}", w.text(), "workers");
        for (auto const a : algorithms) { out += fmt::format(" {:>17}", coll::name(a)); }
        for (auto const workers : distinct<int>(some, [](auto const& r) { return r.workers; })) {
            out += fmt::format("\n{:>8}", workers);
            for (auto const& r : some) {
                if (r.workers != workers) { continue; }
                auto const seen =
                    r.measured > 0 ? fmt::format(" ({:.2f})", r.measured_speed_up) : "";
                out += fmt::format(" {:>17}", fmt::format("{:.2f}{}", r.predicted.speed_up, seen));
            }
        }
        out += "\n\n";
    }
    return out;
}

std::string as_cures(trainer const& t, std::vector<row> const& rows) {
    auto const one = t.of(1).seconds() * 1e3;
    auto out = fmt::format(
        "| {} workers | predicted, ms | of one worker | measured, ms | of one worker |\n"
        "|---|---|---|---|---|\n| one worker | {:.2f} | 1.00 | - | - |\n",
        rows.front().workers, one);
    for (auto const& r : rows) {
        // As many samples as one worker has in a step.
        auto const share = t.on().splits ? 1.0 : 1.0 / r.workers;
        auto const predicted = share * for_one(r.how, r.predicted.seconds);
        auto const measured = share * for_one(r.how, r.measured);
        out += fmt::format("| {}, {} | {:.2f} | {:.2f} |", coll::name(r.algorithm), r.how.text(),
                           predicted, predicted / one);
        out += r.measured > 0 ? fmt::format(" {:.2f} | {:.2f} |\n", measured, measured / one)
                              : std::string(" - | - |\n");
    }
    return out;
}

std::string as_csv(trainer const& t, std::vector<row> const& rows) {
    std::string out =
        "model,workers,algorithm,fusion,overlap,accumulated,source,step_ms,exposed_ms,buckets,"
        "threshold,speed_up\n";
    for (auto const& r : rows) {
        auto const line = [&](char const* source, double seconds, double exposed, double speed_up,
                              std::string const& plan) {
            out += fmt::format("{},{},{},{:d},{:d},{},{},{:.6g},{:.6g},{},{:.6g}\n", t.what().name,
                               r.workers, coll::name(r.algorithm), r.how.fused, r.how.overlapped,
                               r.how.accumulated, source, seconds * 1e3, exposed * 1e3, plan,
                               speed_up);
        };
        line("model", r.predicted.seconds, r.predicted.exposed, r.predicted.speed_up,
             fmt::format("{},{}", r.predicted.buckets, r.predicted.threshold));
        if (r.measured > 0) {  // its tensors may be smaller ones, and lie otherwise in buckets
            auto const compute = r.how.accumulated * t.of(r.workers).seconds();
            line("measurement", r.measured, r.measured - compute, r.measured_speed_up, ",");
        }
    }
    return out;
}

std::string as_picture(trainer const& t, std::vector<row> const& rows) {
    std::vector<std::string> pictures;
    for (auto const& w : ways) {
        auto const some = of_way(rows, w);
        std::vector<coll_plot::series> curves;
        coll_plot::series linear{"linear", coll_plot::kind::limit, {}};
        for (auto const a :
             distinct<coll::any_algorithm>(rows, [](auto const& r) { return r.algorithm; })) {
            auto const name = std::string(coll::name(a));
            coll_plot::series predicted{name, coll_plot::kind::ours, {}};
            coll_plot::series measured{name + ", measured", coll_plot::kind::seen, {}};
            for (auto const& r : some) {
                if (r.algorithm != a) { continue; }
                linear.seconds[r.workers] = 1;
                predicted.seconds[r.workers] = r.workers / r.predicted.speed_up;
                if (r.measured > 0) {
                    measured.seconds[r.workers] = r.workers / r.measured_speed_up;
                }
            }
            curves.push_back(predicted);
            curves.push_back(measured);
        }
        curves.push_back(linear);
        pictures.push_back(coll_plot::as_svg(curves, coll_plot::quantity::speed_up,
                                             t.what().name + ": " + w.text(), description(t),
                                             {true, 0, {}}));
    }
    return coll_plot::side_by_side(pictures, 2);
}

}  // namespace coll_scale
