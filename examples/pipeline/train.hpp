// SPDX-License-Identifier: BSD-3-Clause
// Training on a grid: each row of ranks is a pipeline, each column has one stage of all pipelines.
#pragma once

#include "settings.hpp"
#include "stage.hpp"

#include <collectives/communicator.hpp>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace pipeline {

/// The largest distance, by the largest number of `expected`.
inline double difference(std::span<double const> found, std::span<double const> expected) {
    double most = 0, scale = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        auto const apart = std::abs(found[i] - expected[i]);
        if (std::isnan(apart)) { return apart; }
        most = std::max(most, apart);
        scale = std::max(scale, std::abs(expected[i]));
    }
    return most / scale;
}

/// Trains. In each step rank 0 also computes the loss, the gradient of the whole batch and the
/// whole network, and the next parameters by itself. Throws std::runtime_error if those of the
/// pipelines differ by more than 1e-6, or if a stage keeps other micro-batches than the schedule
/// says.
inline void train(collectives::communicator& comm, settings const& s,
                  named_schedule const& schedule) {
    int const replica = comm.rank() / s.stages, stage = comm.rank() % s.stages;
    auto pipe = comm.split(replica, stage);
    auto equals = comm.split(stage, replica);  // the same stage of each pipeline

    auto const each = static_cast<std::size_t>(s.micro_batches) * s.split_size;
    auto const batch = spiral(each * static_cast<std::size_t>(s.replicas));
    auto const share = batch.part(static_cast<std::size_t>(replica) * each, each);
    auto const tasks = schedule.of_stage(s.stages, stage, s.micro_batches);

    auto whole = first_parameters(s.layers);
    std::vector<double> next;  // the parameters after one process's step
    auto const mine = collectives::block(s.layers, s.stages, stage);
    auto const of_mine = [&](std::span<double> of) {
        return of.subspan(mine.first * layer_size, mine.size * layer_size);
    };
    auto const begin = of_mine(whole);
    std::vector<double> parameters(begin.begin(), begin.end());
    std::vector<std::size_t> sizes;
    for (int i = 0; i < s.stages; ++i) {
        sizes.push_back(collectives::block(s.layers, s.stages, i).size * layer_size);
    }

    double worst = 0, first_loss = 0, loss = 0;
    int most_live = 0;
    for (int step = 0; step < s.steps; ++step) {
        std::vector<double> gradient(parameters.size());
        auto const result = run_stage(pipe, tasks, share, s.split_size, parameters, gradient);
        equals.all_reduce(gradient, collectives::average{});  // now that of the whole batch

        std::vector<double> expected(whole.size()), losses{result.loss / s.replicas, 0};
        pipe.gather(parameters, whole, sizes);
        if (comm.rank() == 0) {
            if (step > 0 && !(difference(whole, next) <= 1e-6)) {
                throw std::runtime_error("the parameters differ from those of one process");
            }
            losses[1] = whole_gradient(whole, batch, expected);
            next = whole;
            descend(next, expected);
        }
        comm.broadcast(expected);
        auto const apart = difference(gradient, of_mine(expected));
        if (!(apart <= 1e-6)) {  // also where it is not a number
            throw std::runtime_error("the gradients of stage " + std::to_string(stage) +
                                     " differ from those of one process");
        }
        worst = std::max(worst, apart);
        comm.all_reduce(losses);  // only last stages have one, and rank 0 the other
        loss = losses[0];
        if (!(std::abs(loss - losses[1]) <= 1e-6 * losses[1])) {
            throw std::runtime_error("the pipeline has another loss than one process");
        }
        if (step == 0) { first_loss = loss; }
        most_live = std::max(most_live, result.most_live);
        descend(parameters, gradient);
    }
    if (most_live != pipeline::most_live(tasks)) {
        throw std::runtime_error("a stage kept other micro-batches than its schedule says");
    }
    comm.all_reduce(std::span(&worst, 1), collectives::max{});
    std::vector<int> live(static_cast<std::size_t>(comm.size()));
    comm.all_gather(std::span(&most_live, 1), live);
    if (comm.rank() != 0) { return; }
    std::printf("%-8s  %10.1e  %9.4f  %8.4f  ", schedule.name.c_str(), worst, first_loss, loss);
    for (int i = 0; i < s.stages; ++i) { std::printf(" %d", live[static_cast<std::size_t>(i)]); }
    std::printf("\n");
}

}  // namespace pipeline
