// SPDX-License-Identifier: BSD-3-Clause
// Pipeline parallelism: a network cut over ranks, trained by two schedules, and the time for which
// stages are idle.
#include "bubble.hpp"
#include "measure.hpp"
#include "picture.hpp"
#include "replay.hpp"
#include "settings.hpp"
#include "train.hpp"
#include "whole_layer.hpp"

#include <collectives/collectives.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

using namespace pipeline;

/// Throws unless the gradient of one process is the slope of its loss: the difference of the losses
/// a little to both sides, at some parameters of each layer.
void check_derivatives(std::size_t layers) {
    auto const batch = spiral(6);
    auto parameters = first_parameters(layers);
    std::vector<double> gradient(parameters.size()), unused(parameters.size());
    whole_gradient(parameters, batch, gradient);
    double most = 0;
    for (auto const g : gradient) { most = std::max(most, std::abs(g)); }
    for (std::size_t i = 0; i < parameters.size(); i += 509) {
        auto const loss_at = [&, at = parameters[i]](double beside) {
            parameters[i] = at + beside;
            auto const loss = whole_gradient(parameters, batch, unused);
            parameters[i] = at;
            return loss;
        };
        auto const slope = (loss_at(1e-5) - loss_at(-1e-5)) / 2e-5;
        if (!(std::abs(slope - gradient[i]) <= 1e-6 * most)) {
            throw std::logic_error("a gradient is not the slope of the loss");
        }
    }
}

void print_times(char const* what, std::vector<double> const& times) {
    std::printf("%s", what);
    for (auto const t : times) { std::printf(" %.0f", t); }
}

/// The idle shares by numbers of micro-batches.
void print_table(settings const& s, pass_times const& measured) {
    std::printf(
        "\nIdle share of %d stages. Stages do not run side by side here: the passes of each are "
        "timed\nalone, one after the other, and the schedule is replayed on one clock, as if each "
        "stage had a\nprocessor. Unit times: a forward pass 1, a backward pass %g, a message %g. "
        "Measured, in us:\n",
        s.stages, s.backward_time, s.message_time);
    print_times("forward", measured.forward);
    print_times(", backward", measured.backward);
    std::printf(", message %.1f\n\n", measured.message);
    std::printf("micro-    (S-1)/     unit times         measured times     live on stage 0\n");
    std::printf("batches M (M+S-1)    gpipe    1f1b      gpipe    1f1b      gpipe    1f1b\n");
    std::set<int> const rows{1, 2, 4, 8, 16, 32, s.micro_batches};
    for (auto const m : rows) {
        std::printf("%9d %6.1f %%", m, 100 * bubble(s.stages, m));
        for (auto const& times : {s.unit_times(), measured}) {
            std::printf("  ");
            for (auto const& schedule : schedules()) {
                auto const idle = replay(schedule.of_all(s.stages, m), times).idle_share();
                std::printf(" %5.1f %%", 100 * idle);
            }
            std::printf("  ");
        }
        for (auto const& schedule : schedules()) {
            std::printf(" %7d", most_live(schedule.of_stage(s.stages, 0, m)));
        }
        std::printf("\n");
    }
}

void run_rank(collectives::communicator& comm, settings const& s) {
    if (comm.rank() == 0) {
        std::printf(
            "%d stages x %d replicas over %s, %d micro-batches of %zu samples, %zu layers "
            "of %zu\n\nschedule  difference  loss at 1  at %-5d  live on each stage\n",
            s.stages, s.replicas, s.transport.c_str(), s.micro_batches, s.split_size, s.layers,
            width, s.steps);
    }
    for (auto const& schedule : s.chosen()) { train(comm, s, schedule); }
    check_layer(comm, s.split_size);
    auto const message = time_message(comm, s.split_size);
    if (comm.rank() == 0) {
        auto times = time_passes(s);
        times.message = message;
        print_table(s, times);
    }
    if (!s.bubble_svg.empty()) {
        auto const rows = vary_split_size(comm, s);
        if (comm.rank() == 0) {
            print_rows(s, rows);
            draw_bubble(s.bubble_svg, s, rows);
        }
    }
    comm.barrier();
}

void draw_chosen(settings const& s) {
    std::vector<panel> panels;
    for (auto const& schedule : s.chosen()) {
        auto const lists = schedule.of_all(s.stages, s.micro_batches);
        panel p{schedule.name, replay(lists, s.unit_times()), {}};
        for (auto const& list : lists) { p.most_live.push_back(most_live(list)); }
        panels.push_back(std::move(p));
    }
    std::ostringstream title, time;
    title << s.stages << " stages, " << s.micro_batches << " micro-batches: one training step";
    time << "time: a forward pass takes 1, a backward pass " << s.backward_time << ", a message "
         << s.message_time;
    draw(s.svg, panels, title.str(), time.str());
}

}  // namespace

int main(int argc, char** argv) try {
    int status = 0;
    auto const s = read_command(argc, argv, status);
    if (!s) { return status; }
    prove_bubble(8, 32);
    prove_bubble(s->stages, s->micro_batches);
    check_derivatives(s->layers);
    if (!s->svg.empty()) { draw_chosen(*s); }
    auto const work = [&](collectives::communicator& comm) { run_rank(comm, *s); };
    if (s->transport == "threads") {
        collectives::threads::run(s->ranks(), work);
    } else {
        collectives::shm::run(s->ranks(), work);
    }
} catch (std::exception const& e) { return std::fprintf(stderr, "pipeline: %s\n", e.what()), 1; }
