// SPDX-License-Identifier: BSD-3-Clause
// How well fusion_plan knows the best threshold, and how much of what it says can be hidden is
// hidden: a backward pass of ResNet-50 that sleeps where it would compute, for every threshold.
// Over shared memory, and over links of 200 Mbit/s with a 32nd of the model.
#include "resnet50.hpp"

#include <collectives/collectives.hpp>
#include <collectives/fusion/plan.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <span>
#include <thread>
#include <vector>

namespace coll = collectives;
using seconds = std::chrono::duration<double>;

namespace {

/// Gradients from the last layer to the first, each ready when its share of the time has passed.
std::vector<coll::ready_tensor> backward_pass(std::size_t divisor, double time) {
    auto counts = bench::resnet50();
    std::reverse(counts.begin(), counts.end());
    std::vector<coll::ready_tensor> all;
    double before = 0, total = 0;
    for (auto& n : counts) {
        n = (n + divisor - 1) / divisor;
        total += static_cast<double>(n);
    }
    for (auto const n : counts) {
        before += static_cast<double>(n);
        all.push_back({{1, sizeof(float), n, 0}, time * before / total});
    }
    return all;
}

class stepper {
public:
    stepper(coll::communicator& comm, std::span<coll::ready_tensor const> pass)
        : comm_(&comm), pass_(pass) {
        for (auto const& t : pass) { gradients_.emplace_back(t.shape.count, 1.0F); }
    }
    /// The median time of a step, of the slowest rank. `overlap`: gradients come when they are
    /// ready, else all at the end of the pass.
    double operator()(std::size_t threshold, bool overlap, int runs) {
        std::vector<double> times;
        coll::fusion_buffer fusion(*comm_, {.threshold = threshold, .progress_thread = true});
        for (int i = -2; i < runs; ++i) {
            comm_->barrier();
            auto const start = std::chrono::steady_clock::now();
            auto const until = [&](double ready) {
                std::this_thread::sleep_until(
                    start + std::chrono::duration_cast<std::chrono::nanoseconds>(seconds(ready)));
            };
            if (!overlap) { until(pass_.back().ready); }
            for (std::size_t k = 0; k < pass_.size(); ++k) {
                if (overlap) { until(pass_[k].ready); }
                (void)fusion.add(gradients_[k]);
            }
            fusion.flush();
            std::array time{seconds(std::chrono::steady_clock::now() - start).count()};
            comm_->all_reduce(time, coll::max{});
            if (i >= 0) { times.push_back(time[0]); }
        }
        std::sort(times.begin(), times.end());
        return times[times.size() / 2];
    }

private:
    coll::communicator* comm_;
    std::span<coll::ready_tensor const> pass_;
    std::vector<std::vector<float>> gradients_;
};

void sweep(coll::communicator& comm, char const* name, std::size_t divisor, double time, int runs) {
    auto const pass = backward_pass(divisor, time);
    auto const cost = coll::measure_fusion_cost(comm);
    auto const plan = coll::plan_fusion(pass, cost);
    stepper step(comm, std::span<coll::ready_tensor const>(pass));
    if (comm.rank() == 0) {
        std::printf("%s, %d ranks: alpha %.1f us, beta %.3f ns, copy %.3f ns per byte\n", name,
                    comm.size(), cost.alpha * 1e6, cost.beta * 1e9, cost.copy * 1e9);
    }
    double best = 1e9;
    for (std::size_t i = 0; i < plan.tried.size(); i += 4) {
        auto const& p = plan.tried[i];
        auto const measured = step(p.threshold, true, runs);
        best = std::min(best, measured);
        if (comm.rank() == 0) {
            std::printf("  threshold %9zu: %4zu buckets, predicted %7.1f ms, measured %7.1f ms\n",
                        p.threshold, p.buckets, p.finish * 1e3, measured * 1e3);
        }
    }
    auto const& p = plan.best;
    auto const chosen = step(p.threshold, true, runs);
    best = std::min(best, chosen);
    auto const without = step(p.threshold, false, runs);
    if (comm.rank() != 0) { return; }
    std::printf(
        "  chosen %zu: %.1f ms, %.2f of the sweep's best; predicted %.1f ms\n"
        "  without overlap %.1f ms: %.1f ms hidden, %.2f of the %.1f ms predicted\n",
        p.threshold, chosen * 1e3, chosen / best, p.finish * 1e3, without * 1e3,
        (without - chosen) * 1e3, (without - chosen) / p.hidden(), p.hidden() * 1e3);
    std::fflush(stdout);
}

}  // namespace

int main() {
    coll::shm::run(2, [](coll::communicator& comm) { sweep(comm, "shm", 1, 0.15, 5); });
    coll::shm::run(4, [](coll::communicator& comm) { sweep(comm, "shm", 1, 0.3, 5); });
    coll::shm::run(4, [](coll::communicator& comm) {
        auto slow = comm.with(coll::throttled{.bytes_per_second = 25e6});
        sweep(slow, "200 Mbit/s", 32, 0.2, 3);
    });
}
