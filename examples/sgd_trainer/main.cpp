// SPDX-License-Identifier: BSD-3-Clause
// Trains a small network on real handwritten digits with every all-reduce algorithm, and shows what
// each costs: counted, timed and drawn. Ends with status 0 only if all its checks hold.
#include "pictures.hpp"
#include "report.hpp"

#include <collectives/algorithm/all.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace trainer;

namespace {

constexpr double tolerance = 1e-5;  // of a parameter: only the order of additions differs
constexpr double least_accuracy = 0.95;
constexpr std::size_t training_images = 1500;
constexpr std::size_t vector_bytes = parameter_count * sizeof(float);

struct options {
    int ranks = 4;
    int epochs = 30;
    int batch = 60;
    int slow_steps = 9;
    double rate = 2e6;
    transport where = transport::processes;
    std::filesystem::path data = "data/digits/digits.csv";
    std::filesystem::path output = "build/demo";
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

void print_setting(options const& o, digits const& data) {
    fmt::print("Data-parallel SGD on handwritten digits, {} ranks ({})\n", o.ranks,
               o.where == transport::processes ? "processes, shared memory" : "threads");
    fmt::print("  data     {} images to learn from, {} to test, 8 x 8 pixels\n", data.train.size(),
               data.test.size());
    fmt::print("  network  {} - {} - {}, {} floats: n = {} bytes of gradient to average per step\n",
               pixels_per_image, hidden_units, digit_classes, parameter_count, vector_bytes);
    fmt::print("  plan     {} epochs of {} steps, each with {} images over all ranks together\n",
               o.epochs, static_cast<int>(training_images) / o.batch, o.batch);
}

std::vector<row> compare_algorithms(options const& o, plan how, outcome const& alone) {
    print_heading("1. The same training with every all-reduce",
                  fmt::format("Times are medians on this machine. Bytes are those of the rank that "
                              "sends most: counted by the\ntransport, then by the formula, then "
                              "divided by the lower bound 2n(P-1)/P = {}.\nIn one machine's memory "
                              "bytes are cheap: what takes time is ranks that wait for each other.",
                              2 * vector_bytes * static_cast<std::size_t>(o.ranks - 1) /
                                  static_cast<std::size_t>(o.ranks)));
    print_fast_header();
    std::vector<row> rows;
    for (auto const algorithm : coll::all_algorithms) {
        how.algorithm = algorithm;
        row r{algorithm, algorithm.cost_of(o.ranks, parameter_count), {}, {}};
        r.fast = run_training(o.where, o.ranks, how, 0, std::string(algorithm.name()));
        r.largest_gap = largest_gap(r.fast.parameters, alone.parameters);
        print_fast_row(r, o.ranks, how.steps);
        rows.push_back(std::move(r));
    }
    return rows;
}

void compare_on_slow_links(options const& o, plan how, std::vector<row>& rows) {
    print_heading("2. The same steps over slow links",
                  fmt::format("Each rank's link carries {:.3g} MB/s each way. Now time follows the "
                              "bytes that pass one after\nthe other: predicted is their number "
                              "divided by the rate, measured is the median step.",
                              o.rate / 1e6));
    print_slow_header();
    how.steps = o.slow_steps;
    how.in_step = true;
    double longest = 0;
    for (auto const& r : rows) { longest = std::max(longest, r.predicted_seconds(o.rate)); }
    for (auto& r : rows) {
        how.algorithm = r.algorithm;
        r.slow = run_training(o.where, o.ranks, how, o.rate, std::string(r.algorithm.name()));
        print_slow_row(r, o.rate, longest);
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

void compare_with_one_process(options const& o, outcome const& alone,
                              std::vector<row> const& rows) {
    print_heading("3. Many ranks learn what one process learns",
                  fmt::format("Accuracy on the test images. One process takes the same batches of "
                              "{} images whole.",
                              o.batch));
    print_learning_curves(alone, row_of(coll::ring{}, rows).fast, o.ranks);
}

void draw(options const& o, std::vector<row> const& rows) {
    print_heading("4. Pictures", "For a browser; the trace is for https://ui.perfetto.dev");
    std::filesystem::create_directories(o.output);
    std::vector<measured_point> points;
    for (auto const& r : rows) {
        auto const n = static_cast<double>(vector_bytes);
        points.push_back({std::string(r.algorithm.name()), o.ranks,
                          static_cast<double>(r.slow.sent) / o.slow_steps / n,
                          r.slow.all_reduce_seconds * o.rate / n});
    }
    auto const chart = o.output / "bytes_per_rank.svg";
    draw_bytes_chart(chart, points);

    auto const events = run_traced(o.where, o.ranks, coll::ring{}, parameter_count, o.rate);
    auto const picture = o.output / "ring_timeline.svg";
    draw_timeline(picture, events, o.ranks,
                  fmt::format("{} bytes over links of {:.3g} MB/s. In each round every rank sends "
                              "one chunk, 1/{} of the vector, to the next rank. The quickest "
                              "of 9 runs.",
                              vector_bytes, o.rate / 1e6, o.ranks));
    auto const trace = o.output / "ring_trace.json";
    std::ofstream out(trace);
    coll::write_chrome_trace(out, events);
    if (!out.flush()) { throw std::runtime_error("cannot write " + trace.string()); }
    fmt::print("  bytes per rank against ranks   {}\n", chart.string());
    fmt::print("  one ring all-reduce in time    {}\n", picture.string());
    fmt::print("  the same as a Chrome trace     {}\n", trace.string());
}

bool check(options const& o, int steps, outcome const& alone, std::vector<row> const& rows) {
    print_heading("5. Checks", "What must hold on every machine.");
    checks results;
    auto const every = [&](auto const& holds) { return std::ranges::all_of(rows, holds); };
    results.expect(every([&](row const& r) {
                       auto const formula = r.sent_by_formula();
                       return r.fast.sent == formula * static_cast<std::size_t>(steps) &&
                              r.slow.sent == formula * static_cast<std::size_t>(o.slow_steps);
                   }),
                   "the bytes sent are those of the formula, to the last one");
    results.expect(every([](row const& r) { return r.fast.ranks_agree && r.slow.ranks_agree; }),
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

bool run(options const& o) {
    auto const data = load_digits(o.data, training_images);
    plan how{.data = &data, .batch = o.batch};
    how.steps = o.epochs * how.steps_per_epoch();
    how.algorithm = coll::ring{};
    print_setting(o, data);
    auto const alone = run_training(o.where, 1, how, 0, "one process");
    auto rows = compare_algorithms(o, how, alone);
    compare_on_slow_links(o, how, rows);
    compare_with_one_process(o, alone, rows);
    draw(o, rows);
    return check(o, how.steps, alone, rows);
}

}  // namespace

int main(int argc, char** argv) {
    options o;
    CLI::App app("Data-parallel SGD with every all-reduce algorithm, counted, timed and drawn");
    app.add_option("--ranks", o.ranks, "how many ranks train")
        ->check(CLI::Range(2, 16))
        ->capture_default_str();
    app.add_option("--epochs", o.epochs, "how often all images are seen")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--rate", o.rate, "bytes per second of a slow link")
        ->check(CLI::Range(1e3, 1e12))
        ->capture_default_str();
    std::string where = "shm";
    app.add_option("--transport", where, "what the ranks are: shm (processes) or threads")
        ->check(CLI::IsMember({"shm", "threads"}))
        ->capture_default_str();
    app.add_option("--data", o.data, "the digits")->capture_default_str();
    app.add_option("--output", o.output, "folder for the pictures")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    o.where = where == "shm" ? transport::processes : transport::threads;
    try {
        return run(o) ? 0 : 1;
    } catch (std::exception const& error) {
        fmt::print(stderr, "sgd_trainer: {}\n", error.what());
        return 1;
    }
}
