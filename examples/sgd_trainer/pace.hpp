// SPDX-License-Identifier: BSD-3-Clause
// A rank that computes more slowly than it could: what experiments need.
#pragma once

#include "network.hpp"
#include "settings.hpp"
#include "steps.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <map>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace trainer {

/// The time that this thread has had a processor, in nanoseconds.
inline std::int64_t processor_ns() {
    std::timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// A network that learns at the pace of its rank. At `slow_motion` 8 every part of its work takes
/// eight times the processor time that it needs, and the rank sleeps for the rest: so two cores
/// carry many ranks, none of which slows another down. A part's time is the least that it took for
/// a batch of this size. Before the first pass of a size, passes are repeated for 50 ms. So
/// whatever disturbs a pass (cold caches after a sleep, another machine on the same processor) is
/// not made eight times longer.
class paced_network : public network {
public:
    paced_network(network&& of, settings const& how, int rank)
        : network(std::move(of)), factor_(how.slow_motion) {
        if (rank == how.straggler.rank) { factor_ *= how.straggler.factor; }
    }

    /// As network::learn.
    double learn(std::span<float const> parameters, batch const& images, float scale,
                 std::span<float> gradient, std::function<void(tensor const&)> const& ready) {
        if (factor_ == 1) { return network::learn(parameters, images, scale, gradient, ready); }
        if (!needs_.contains(images.size())) {
            std::vector<float> unused(gradient.size());
            auto const begin = processor_ns();
            do {
                (void)learn_in_parts(parameters, images, scale, unused, [](tensor const*, auto) {});
            } while (processor_ns() - begin < trying_ns);
        }
        auto due = now_ns();
        return learn_in_parts(
            parameters, images, scale, gradient, [&](tensor const* done, std::int64_t needs) {
                due += static_cast<std::int64_t>(factor_ * static_cast<double>(needs));
                std::this_thread::sleep_until(
                    std::chrono::steady_clock::time_point(std::chrono::nanoseconds(due)));
                if (done != nullptr && ready) { ready(*done); }
                due = std::max(due, now_ns());
            });
    }

private:
    static constexpr std::int64_t trying_ns = 50'000'000;

    /// Calls `after_part` after each part: with its tensor (none after the last) and what it needs.
    template <class F>
    double learn_in_parts(std::span<float const> parameters, batch const& images, float scale,
                          std::span<float> gradient, F after_part) {
        auto& needs = needs_[images.size()];
        std::size_t part = 0;
        auto begin = processor_ns();
        auto const end_part = [&](tensor const* done) {
            auto const took = processor_ns() - begin;
            if (part == needs.size()) { needs.push_back(took); }
            needs[part] = std::min(needs[part], took);
            after_part(done, needs[part++]);
            begin = processor_ns();
        };
        auto const loss = network::learn(parameters, images, scale, gradient,
                                         [&](tensor const& t) { end_part(&t); });
        end_part(nullptr);
        return loss;
    }

    double factor_;
    std::map<std::size_t, std::vector<std::int64_t>> needs_;  // of each part, by images
};

}  // namespace trainer
