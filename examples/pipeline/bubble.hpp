// SPDX-License-Identifier: BSD-3-Clause
// What the size of micro-batches does: the same batch is cut into more and smaller ones. Two stages
// run side by side and are timed; more stages than cores are replayed on one clock.
#pragma once

#include "measure.hpp"
#include "stage.hpp"

#include <collectives/communicator.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pipeline {

constexpr int steps_to_time = 30;

struct step_time {
    double microseconds = 0, idle_share = 0;
};

struct bubble_row {
    std::size_t split_size;
    int micro_batches;
    step_time replayed, two_replayed;
    std::optional<step_time> two;  ///< measured, where there are two ranks
};

/// A step of two ranks, each of which is a stage: the quickest of some. The same on both.
inline step_time run_two_stages(collectives::communicator& two, settings const& s,
                                named_schedule const& schedule) {
    auto const tasks = schedule.of_stage(2, two.rank(), s.micro_batches);
    auto const batch = spiral(static_cast<std::size_t>(s.micro_batches) * s.split_size);
    auto const mine = collectives::block(s.layers, 2, two.rank());
    auto const whole = first_parameters(s.layers);
    auto const parameters =
        std::span(whole).subspan(mine.first * layer_size, mine.size * layer_size);
    std::vector<double> gradient(parameters.size());
    step_time quickest;
    for (int i = 0; i < steps_to_time; ++i) {
        two.barrier();
        auto const begin = now_us();
        auto const result = run_stage(two, tasks, batch, s.split_size, parameters, gradient);
        std::vector<double> when{-begin, now_us()};  // one clock for all of a machine
        two.all_reduce(when, collectives::max{});
        auto busy = result.busy_us;
        two.all_reduce(std::span(&busy, 1));
        auto const took = when[1] + when[0];
        if (i == 0 || took < quickest.microseconds) { quickest = {took, 1 - busy / (2 * took)}; }
    }
    return quickest;
}

/// The passes of each stage timed in turn, and the schedule replayed.
inline step_time replay_stages(settings const& s, named_schedule const& schedule, double message) {
    auto times = time_passes(s);
    times.message = message;
    auto const replayed = replay(schedule.of_all(s.stages, s.micro_batches), times);
    return {replayed.total, replayed.idle_share()};
}

/// A row for each number of micro-batches that cuts a pipeline's batch evenly, each number at least
/// twice the one before. Right on rank 0.
inline std::vector<bubble_row> vary_split_size(collectives::communicator& comm, settings s) {
    auto const schedule = s.chosen().front();
    auto const batch = static_cast<std::size_t>(s.micro_batches) * s.split_size;
    auto two = comm.split(comm.rank() < 2 ? 0 : 1, comm.rank());
    std::vector<bubble_row> rows;
    std::size_t next = 1;
    for (std::size_t m = 1; m <= std::min<std::size_t>(batch, 64); ++m) {
        if (batch % m != 0 || m < next) { continue; }
        next = 2 * m;
        s.micro_batches = static_cast<int>(m);
        s.split_size = batch / m;
        bubble_row row{s.split_size, s.micro_batches, {}, {}, {}};
        auto const message = time_message(comm, s.split_size);
        if (comm.rank() == 0) {
            row.replayed = replay_stages(s, schedule, message);
            auto of_two = s;
            of_two.stages = 2;
            row.two_replayed = replay_stages(of_two, schedule, message);
        }
        if (comm.rank() < 2 && two.size() == 2) { row.two = run_two_stages(two, s, schedule); }
        rows.push_back(row);
    }
    return rows;
}

inline void print_rows(settings const& s, std::vector<bubble_row> const& rows) {
    std::printf(
        "\nThe same batch of %zu samples in more and smaller micro-batches, by %s. Idle share of "
        "two stages\nthat run side by side, in the quickest of %d steps, and of stages whose "
        "passes of that size were\ntimed in turn and replayed on one clock. Steps in us:\n\n"
        "split   micro-   two stages                              %d stages\n"
        "size    batches   1/(M+1)  replayed  measured      step  (S-1)/(M+S-1)  replayed      "
        "step\n",
        static_cast<std::size_t>(s.micro_batches) * s.split_size, s.chosen().front().name.c_str(),
        steps_to_time, s.stages);
    for (auto const& r : rows) {
        std::printf("%-7zu %7d %8.1f %%  %6.1f %%", r.split_size, r.micro_batches,
                    100 * bubble(2, r.micro_batches), 100 * r.two_replayed.idle_share);
        if (r.two) {
            std::printf("  %6.1f %%  %8.0f", 100 * r.two->idle_share, r.two->microseconds);
        } else {
            std::printf("  %8s  %8s", "-", "-");
        }
        std::printf("     %8.1f %%  %6.1f %%  %8.0f\n", 100 * bubble(s.stages, r.micro_batches),
                    100 * r.replayed.idle_share, r.replayed.microseconds);
    }
    auto const step = [](bubble_row const& r) { return r.replayed.microseconds; };
    auto const best = std::ranges::min_element(rows, {}, step);
    std::printf("The quickest step of %d stages, replayed: a split size of %zu.\n", s.stages,
                best->split_size);
    if (!rows.front().two) { return; }
    auto const measured = [](bubble_row const& r) { return r.two->microseconds; };
    std::printf("The quickest step of two stages, measured: %zu.\n",
                std::ranges::min_element(rows, {}, measured)->split_size);
}

/// Writes the rows as a plot (SVG). Throws std::runtime_error if it cannot.
void draw_bubble(std::string const& file, settings const& s, std::vector<bubble_row> const& rows);

}  // namespace pipeline
