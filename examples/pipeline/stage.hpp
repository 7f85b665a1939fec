// SPDX-License-Identifier: BSD-3-Clause
// The page to read: how a stage works through its list of passes. Activations go to the next stage,
// derivatives go back to the stage before.
#pragma once

#include "clock.hpp"
#include "network.hpp"
#include "schedule.hpp"

#include <collectives/communicator.hpp>

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace pipeline {

struct stage_result {
    double loss = 0;     // on the last stage
    int most_live = 0;   // the most micro-batches whose activations were kept at once
    double busy_us = 0;  // in which it computed; in the rest it was idle
};

/// A message on its way, with the numbers that it reads.
struct message {
    matrix values;
    std::optional<collectives::pending> sent;  // waits when it is destroyed, so before `values` is
};

/// The activations of a micro-batch, from its forward to its backward pass.
struct live_micro_batch {
    std::vector<matrix> activations;
    std::optional<collectives::pending> sent;
};

/// Runs the passes of `tasks`, in that order, over the micro-batches of `share`. Adds the gradient
/// of this stage's parameters to `gradient`: the mean over the share. Each rank of `pipe` is a
/// stage. Sends are only started, so no order of passes makes two stages wait for each other to
/// receive.
inline stage_result run_stage(collectives::communicator& pipe, task_list const& tasks,
                              samples const& share, std::size_t split_size,
                              std::span<double const> parameters, std::span<double> gradient) {
    int const stage = pipe.rank(), last = pipe.size() - 1;
    std::map<int, live_micro_batch> live;
    std::list<message> derivatives;  // those sent to the stage before
    stage_result result;
    auto const compute = [&](auto&& work) {
        auto const begin = now_us();
        auto made = work();
        result.busy_us += now_us() - begin;
        return made;
    };
    for (auto const& [what, m] : tasks) {
        auto const part = share.part(static_cast<std::size_t>(m) * split_size, split_size);
        int const tag = 2 * m + (what == pass::forward ? 0 : 1);
        if (what == pass::forward) {
            auto input = part.at;
            if (stage > 0) { pipe.recv(input, stage - 1, tag); }
            auto& kept = live[m];
            kept.activations = compute([&] { return forward(parameters, std::move(input)); });
            if (stage < last) {
                kept.sent = pipe.start_send(kept.activations.back(), stage + 1, tag);
            }
            result.most_live = std::max(result.most_live, static_cast<int>(live.size()));
        } else {
            auto const& activations = live.at(m).activations;
            matrix derivative(activations.back().size());
            if (stage < last) {
                pipe.recv(derivative, stage + 1, tag);
            } else {
                auto of_part = loss(activations.back(), part.arm, share.arm.size());
                derivative = std::move(of_part.derivative);
                result.loss += of_part.loss;
            }
            message back{compute([&] {
                             return backward(parameters, activations, std::move(derivative),
                                             gradient);
                         }),
                         {}};
            live.erase(m);  // its activations have come: the derivative came back
            if (stage > 0) {
                std::erase_if(derivatives, [](message& d) { return d.sent->test(); });
                auto& sent = derivatives.emplace_back(std::move(back));
                sent.sent = pipe.start_send(sent.values, stage - 1, tag);
            }
        }
    }
    for (auto& d : derivatives) { d.sent->wait(); }
    return result;
}

}  // namespace pipeline
