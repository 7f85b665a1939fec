// SPDX-License-Identifier: BSD-3-Clause
#include "settings.hpp"

#include <CLI/CLI.hpp>

namespace pipeline {

pass_times settings::unit_times() const {
    auto times = pass_times::equal(stages, 1, backward_time);
    times.message = message_time;
    return times;
}

std::vector<named_schedule> settings::chosen() const {
    std::vector<named_schedule> some;
    for (auto const& s : schedules()) {
        if (schedule.empty() || schedule == s.name) { some.push_back(s); }
    }
    return some;
}

std::optional<settings> read_command(int argc, char** argv, int& status) {
    settings s;
    CLI::App app(
        "Trains a network that is cut over the stages of a pipeline, holds the gradients against "
        "those of one process, and says how long stages are idle");
    auto const number = [&](char const* name, auto& to, char const* help, double most,
                            double least = 1) {
        app.add_option(name, to, help)->check(CLI::Range(least, most))->capture_default_str();
    };
    number("--stages", s.stages, "ranks that share the layers of a network", 12);
    number("--replicas", s.replicas, "pipelines that share each batch", 16);
    number("--micro-batches", s.micro_batches, "of a pipeline in each step", 64);
    number("--split-size", s.split_size, "samples of a micro-batch", 1024);
    number("--layers", s.layers, "of the network, at least as many as stages", 64);
    number("--steps", s.steps, "of training", 1000);
    app.add_option("--schedule", s.schedule, "gpipe or 1f1b; default: both")
        ->check(CLI::IsMember({"gpipe", "1f1b"}));
    app.add_option("--transport", s.transport, "ranks are threads, or processes: shm")
        ->check(CLI::IsMember({"threads", "shm"}))
        ->capture_default_str();
    number("--backward-time", s.backward_time,
           "of a backward pass in the picture and the table, where a forward pass takes 1", 100,
           0.1);
    number("--message-time", s.message_time, "of a message, likewise", 100, 0);
    app.add_option("--svg", s.svg, "file for a picture of the schedule");
    app.add_option(
        "--bubble", s.bubble_svg,
        "also cut the batch into more and smaller micro-batches; file for a plot of idle "
        "time against the split size");
    try {
        app.parse(argc, argv);
        if (s.layers < static_cast<std::size_t>(s.stages)) {
            throw CLI::ValidationError("--layers", "a stage would have none");
        }
        if (s.ranks() > 64) { throw CLI::ValidationError("--replicas", "more than 64 ranks"); }
    } catch (CLI::ParseError const& e) {
        status = app.exit(e);
        return {};
    }
    return s;
}

}  // namespace pipeline
