// SPDX-License-Identifier: BSD-3-Clause
// Data-parallel training: every rank holds the whole model, takes its part of each batch, and
// averages gradients with all others. This is the page to read.
#pragma once

#include "network.hpp"
#include "order.hpp"
#include "plan.hpp"

#include <collectives/collectives.hpp>

#include <chrono>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace trainer {

/// What a rank has at the end.
struct learnt {
    std::vector<float> parameters;
    std::vector<double> step_seconds;        ///< of each step: gradient, all-reduce, update
    std::vector<double> all_reduce_seconds;  ///< of each step, the part that is communication
};

/// What all ranks start from: the parameters of rank 0.
template <class Communicator>
std::vector<float> common_start(Communicator& comm, std::uint32_t seed) {
    auto parameters =
        comm.rank() == 0 ? initial_parameters(seed) : std::vector<float>(parameter_count);
    comm.broadcast(parameters, 0);
    return parameters;
}

/// Trains over the ranks of `comm`, from `parameters`, which are equal on all ranks and stay so.
/// `after_epoch(epoch, parameters)` is called on every rank.
template <class Communicator, class AfterEpoch>
learnt train(Communicator& comm, plan const& how, std::vector<float> parameters,
             AfterEpoch&& after_epoch) {
    using clock = std::chrono::steady_clock;
    auto const seconds = [](clock::duration d) { return std::chrono::duration<double>(d).count(); };

    // Each rank takes its block of every batch. Its gradient is scaled so that the average over
    // the ranks is the average over the batch, also where the blocks differ in size.
    auto const mine = coll::block(static_cast<std::size_t>(how.batch), comm.size(), comm.rank());
    auto const scale = static_cast<float>(comm.size()) / static_cast<float>(how.batch);

    std::vector<float> gradient(parameter_count);
    std::vector<std::size_t> order;
    sgd optimizer;
    learnt result;
    for (int step = 0; step < how.steps; ++step) {
        auto const epoch = step / how.steps_per_epoch();
        auto const in_epoch = step % how.steps_per_epoch();
        if (in_epoch == 0) {  // drawn from the same seed everywhere: nothing to send
            order = shuffled(how.data->train.size(), how.seed + static_cast<std::uint32_t>(epoch));
        }
        auto const first = static_cast<std::size_t>(in_epoch * how.batch) + mine.first;

        if (how.in_step) { comm.barrier(); }
        auto const start = clock::now();
        compute_gradient(parameters, how.data->train, std::span(order).subspan(first, mine.size),
                         scale, gradient);
        auto const computed = clock::now();
        comm.all_reduce(gradient, coll::average{}, {.algorithm = how.algorithm, .segment = 0});
        auto const averaged = clock::now();
        optimizer.step(parameters, gradient);

        result.step_seconds.push_back(seconds(clock::now() - start));
        result.all_reduce_seconds.push_back(seconds(averaged - computed));
        if (in_epoch + 1 == how.steps_per_epoch()) { after_epoch(epoch + 1, parameters); }
    }
    result.parameters = std::move(parameters);
    return result;
}

}  // namespace trainer
