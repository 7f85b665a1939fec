// SPDX-License-Identifier: BSD-3-Clause
// How long passes and messages take. All passes are timed on one rank, one after the other, while
// the other ranks wait: stages that share cores would slow each other down.
#pragma once

#include "clock.hpp"
#include "network.hpp"
#include "replay.hpp"
#include "settings.hpp"

#include <collectives/communicator.hpp>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace pipeline {

/// The least of some times, in microseconds: what other programs disturb takes longer.
double least_time(int times, auto&& work) {
    auto least = std::numeric_limits<double>::max();
    for (int i = 0; i < times; ++i) {
        auto const start = now_us();
        work();
        least = std::min(least, now_us() - start);
    }
    return least;
}

/// Of the passes of all stages over one micro-batch. Needs no other rank. Stages take turns, so
/// that whatever slows the machine down for a while slows all of them down.
inline pass_times time_passes(settings const& s) {
    auto const parameters = first_parameters(s.layers);
    auto const batch = spiral(s.split_size);
    std::vector<double> gradient(parameters.size());
    constexpr auto longest = std::numeric_limits<double>::max();
    auto times = pass_times::equal(s.stages, longest, longest);
    for (int turn = 0; turn < 8; ++turn) {
        auto input = batch.at;
        for (int stage = 0; stage < s.stages; ++stage) {
            auto const mine = collectives::block(s.layers, s.stages, stage);
            auto const first = mine.first * layer_size, size = mine.size * layer_size;
            auto const part = std::span(parameters).subspan(first, size);
            auto const of_part = std::span(gradient).subspan(first, size);
            auto const i = static_cast<std::size_t>(stage);
            std::vector<matrix> activations;
            times.forward[i] = std::min(times.forward[i],
                                        least_time(3, [&] { activations = forward(part, input); }));
            times.backward[i] =
                std::min(times.backward[i],
                         least_time(3, [&] { backward(part, activations, input, of_part); }));
            input = activations.back();
        }
    }
    return times;
}

/// Of one micro-batch's activations: half of a round trip between ranks 0 and 1, on rank 0.
inline double time_message(collectives::communicator& comm, std::size_t split_size) {
    matrix values(split_size * width);
    if (comm.size() == 1 || comm.rank() > 1) { return 0; }
    return least_time(30,
                      [&] {
                          if (comm.rank() == 0) { comm.send(values, 1); }
                          comm.recv(values, 1 - comm.rank());
                          if (comm.rank() == 1) { comm.send(values, 0); }
                      }) /
           2;
}

}  // namespace pipeline
