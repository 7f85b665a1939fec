// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

#include "pictures.hpp"
#include "tables.hpp"

#include "../../../tools/algorithms.hpp"

#include <collectives/algorithm/all.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace trainer {

namespace coll = collectives;

namespace {

constexpr double tolerance = 1e-5;  // of a parameter: only the order of additions differs
constexpr double least_accuracy = 0.95;
constexpr int slow_steps = 9;

/// What is trained over and over again.
struct setting {
    comparison const& asked;
    data_set data;
    settings how;  // as fast as the machine goes
    state start;

    explicit setting(comparison const& o) : asked(o), data(load_digits(o.data)) {
        how.hidden = 64;
        how.epochs = o.epochs;
        how.ranks = o.ranks;
        how.where = o.where;
        how.prefetch = 0;
        how.moves = overlap::off;  // so that the all-reduce's time can be told from the rest
        how.segment = 0;
        how.algorithm = "ring";
        auto const net = job{how, data}.make_network();
        start.parameters = net.initial_parameters(how.seed);
        start.velocity.resize(start.parameters.size());
    }

    int steps_per_epoch() const { return job{how, data}.steps_per_epoch(); }
    std::size_t parameters() const { return start.parameters.size(); }
    std::size_t bytes() const { return parameters() * sizeof(float); }
    outcome train(settings const& s, std::string const& label) const {
        return measure_training(s, data, start, label);
    }
};

double largest_gap(std::vector<float> const& a, std::vector<float> const& b) {
    double gap = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        gap = std::max(gap, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    }
    return gap;
}

row const& row_of(coll::any_algorithm algorithm, std::vector<row> const& rows) {
    return *std::ranges::find(rows, algorithm, &row::algorithm);
}

void print_setting(setting const& s) {
    auto const& o = s.asked;
    fmt::print("Data-parallel SGD on handwritten digits, {} ranks ({})\n", o.ranks,
               o.where == transport::processes ? "processes, shared memory" : "threads");
    fmt::print("  data     {} images to learn from, {} to test, 8 x 8 pixels\n",
               s.data.train.size(), s.data.test.size());
    fmt::print("  network  {} - {} - {}, {} floats: n = {} bytes of gradient to average per step\n",
               s.data.pixels_per_image(), s.how.hidden, class_count, s.parameters(), s.bytes());
    fmt::print("  plan     {} epochs of {} steps, each with {} images over all ranks together\n",
               o.epochs, s.steps_per_epoch(), s.how.batch);
}

std::vector<row> compare_all(setting const& s, outcome const& alone) {
    auto const ranks = static_cast<std::size_t>(s.asked.ranks);
    print_heading(
        "1. The same training with every all-reduce",
        fmt::format("Times are medians on this machine, where ranks read each other's "
                    "memory: bytes are cheap, and what\ntakes time is ranks that wait for "
                    "each other. Bytes are those of the rank that sends most: counted\n"
                    "over an epoch in which they travel as messages, then by the formula, "
                    "then divided by the lower\nbound 2n(P-1)/P = {}.",
                    2 * s.bytes() * (ranks - 1) / ranks));
    print_fast_header();
    std::vector<row> rows;
    for (auto const algorithm : known_algorithms(s.asked.ranks)) {
        auto how = s.how;
        how.algorithm = coll::name(algorithm);
        row r{algorithm, algorithm.cost_of(s.asked.ranks, s.parameters()), {}, {}, {}};
        r.fast = s.train(how, how.algorithm);
        how.counted = true;
        how.stop_after = s.steps_per_epoch();
        r.counted = s.train(how, how.algorithm);
        r.largest_gap = largest_gap(r.fast.parameters, alone.parameters);
        print_fast_row(r, s.asked.ranks, how.stop_after, s.bytes());
        rows.push_back(std::move(r));
    }
    return rows;
}

void compare_on_slow_links(setting const& s, std::vector<row>& rows) {
    auto const rate = s.asked.rate;
    print_heading("2. The same steps over slow links",
                  fmt::format("Each rank's link carries {:.3g} MB/s each way. Now time follows the "
                              "bytes that pass one after\nthe other: predicted is their number "
                              "divided by the rate, measured is the median step.",
                              rate / 1e6));
    print_slow_header();
    auto how = s.how;
    how.stop_after = slow_steps;
    how.in_step = true;
    how.link = rate;
    double longest = 0;
    for (auto const& r : rows) { longest = std::max(longest, r.predicted_seconds(rate)); }
    for (auto& r : rows) {
        how.algorithm = coll::name(r.algorithm);
        r.slow = s.train(how, how.algorithm);
        print_slow_row(r, rate, longest);
    }
    auto const& star = row_of(coll::star{}, rows);
    auto const& ring = row_of(coll::ring{}, rows);
    fmt::print(
        "\nThe ring's step takes {:.1f} times less than the star's, for {:.1f} times fewer "
        "bytes in sequence.\n",
        star.slow.step_seconds / ring.slow.step_seconds,
        static_cast<double>(star.theory.critical.bytes) /
            static_cast<double>(ring.theory.critical.bytes));
}

void compare_with_one_process(setting const& s, outcome const& alone,
                              std::vector<row> const& rows) {
    print_heading("3. Many ranks learn what one process learns",
                  fmt::format("Accuracy on the test images. One process takes the same batches of "
                              "{} images whole.",
                              s.how.batch));
    print_learning_curves(alone, row_of(coll::ring{}, rows).fast, s.asked.ranks);
}

void draw(setting const& s, std::vector<row> const& rows) {
    auto const& o = s.asked;
    print_heading("4. Pictures", "For a browser; the trace is for https://ui.perfetto.dev");
    std::filesystem::create_directories(o.output);
    std::vector<measured_point> points;
    for (auto const& r : rows) {
        auto const n = static_cast<double>(s.bytes());
        points.push_back({std::string(r.algorithm.name()), o.ranks,
                          static_cast<double>(r.slow.sent) / slow_steps / n,
                          r.slow.all_reduce_seconds * o.rate / n});
    }
    auto const chart = o.output / "bytes_per_rank.svg";
    draw_bytes_chart(chart, points);

    auto how = s.how;
    how.link = o.rate;
    auto const events = measure_ring(how, s.data, s.start);
    auto const picture = o.output / "ring_timeline.svg";
    draw_timeline(picture, events, o.ranks,
                  fmt::format("{} bytes over links of {:.3g} MB/s. In each round every rank sends "
                              "one chunk, 1/{} of the vector, to the next rank. The quickest "
                              "of 9 runs.",
                              s.bytes(), o.rate / 1e6, o.ranks));
    auto const trace = o.output / "ring_trace.json";
    std::ofstream out(trace);
    coll::write_chrome_trace(out, events);
    if (!out.flush()) { throw std::runtime_error("cannot write " + trace.string()); }
    fmt::print("  bytes per rank against ranks   {}\n", chart.string());
    fmt::print("  one ring all-reduce in time    {}\n", picture.string());
    fmt::print("  the same as a Chrome trace     {}\n", trace.string());
}

bool check(setting const& s, outcome const& alone, std::vector<row> const& rows) {
    print_heading("5. Checks", "What must hold on every machine.");
    checks results;
    auto const every = [&](auto const& holds) { return std::ranges::all_of(rows, holds); };
    results.expect(every([&](row const& r) {
                       auto const formula = r.sent_by_formula();
                       auto const epoch = static_cast<std::size_t>(s.steps_per_epoch());
                       return r.counted.sent == formula * epoch &&
                              r.slow.sent == formula * std::size_t{slow_steps};
                   }),
                   "the bytes sent are those of the formula, to the last one");
    results.expect(every([](row const& r) {
                       return r.fast.ranks_agree && r.counted.ranks_agree && r.slow.ranks_agree;
                   }),
                   "all ranks end with the same parameters, bit by bit");
    auto const gap = std::ranges::max(rows, {}, &row::largest_gap).largest_gap;
    results.expect(gap <= tolerance,
                   fmt::format("no parameter is further than {:.0e} from one process's (largest "
                               "gap {:.1e})",
                               tolerance, gap));
    results.expect(alone.accuracies.back() >= least_accuracy && every([](row const& r) {
                       return r.fast.accuracies.back() >= least_accuracy;
                   }),
                   fmt::format("every training reaches an accuracy of {} or more", least_accuracy));
    return results.all_hold();
}

}  // namespace

bool compare_algorithms(comparison const& o) {
    setting const s(o);
    print_setting(s);
    auto one = s.how;
    one.ranks = 1;
    auto const alone = s.train(one, "one process");
    auto rows = compare_all(s, alone);
    compare_on_slow_links(s, rows);
    compare_with_one_process(s, alone, rows);
    draw(s, rows);
    return check(s, alone, rows);
}

}  // namespace trainer
