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
#include <span>
#include <thread>
#include <utility>

namespace trainer {

/// The time that this thread has had a processor, in nanoseconds.
inline std::int64_t processor_ns() {
    std::timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// A network that learns at the pace of its rank. At `slow_motion` 8 every part of its work takes
/// eight times the processor time that it needs, and the rank sleeps for the rest: so two cores
/// carry many ranks, none of which slows another down.
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
        due_ = now_ns();
        used_ = processor_ns();
        auto const loss = network::learn(parameters, images, scale, gradient, [&](tensor const& t) {
            wait();
            if (ready) { ready(t); }
            due_ = std::max(due_, now_ns());
            used_ = processor_ns();
        });
        wait();
        return loss;
    }

private:
    void wait() {
        due_ += static_cast<std::int64_t>(factor_ * static_cast<double>(processor_ns() - used_));
        std::this_thread::sleep_until(
            std::chrono::steady_clock::time_point(std::chrono::nanoseconds(due_)));
    }

    double factor_;
    std::int64_t due_ = 0, used_ = 0;
};

}  // namespace trainer
