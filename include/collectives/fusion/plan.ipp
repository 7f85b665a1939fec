// SPDX-License-Identifier: BSD-3-Clause
// The definitions of fusion/plan.hpp.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/streaming_copy.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/fusion/plan.hpp>

#include <algorithm>
#include <array>

namespace collectives::inline v0 {

COLLECTIVES_INLINE fusion_prediction predict_fusion(std::span<ready_tensor const> tensors,
                                                    std::size_t threshold,
                                                    fusion_cost const& cost) {
    lean_vector<tensor_shape> shapes;
    for (auto const& t : tensors) { shapes.push_back(t.shape); }
    auto buckets = fuse(std::span<tensor_shape const>(shapes), threshold);
    // Once the buckets are known they start with their last tensor.
    std::stable_sort(buckets.begin(), buckets.end(), [](auto const& a, auto const& b) {
        return a.tensors.back() < b.tensors.back();
    });
    fusion_prediction p{threshold, buckets.size(), 0, 0, 0};
    for (auto const& b : buckets) {
        auto const n = static_cast<double>(b.bytes);
        auto const time = cost.alpha + n * (cost.beta + (b.alone ? 0 : cost.copy));
        p.communication += time;
        p.finish = std::max(p.finish, tensors[b.tensors.back()].ready) + time;
    }
    p.exposed = tensors.empty() ? 0 : p.finish - tensors.back().ready;
    return p;
}

COLLECTIVES_INLINE fusion_plan plan_fusion(std::span<ready_tensor const> tensors,
                                           fusion_cost const& cost) {
    std::size_t total = 0;
    for (auto const& t : tensors) { total += t.shape.bytes(); }
    fusion_plan plan;
    plan.tried.push_back(predict_fusion(tensors, 0, cost));
    for (std::size_t power = 1024;; power *= 2) {
        plan.tried.push_back(predict_fusion(tensors, power, cost));
        if (power >= total) { break; }
        plan.tried.push_back(predict_fusion(tensors, power + power * 53 / 128, cost));
    }
    plan.best = *std::min_element(plan.tried.begin(), plan.tried.end(),
                                  [](auto const& a, auto const& b) { return a.finish < b.finish; });
    return plan;
}

COLLECTIVES_INLINE fusion_cost measure_fusion_cost(communicator& comm, options const& how,
                                                   std::chrono::duration<double> longest) {
    auto& core = *core_of(comm);
    core.make().require(core.engine().space().device() == nullptr, collective::all_reduce,
                        "measure_fusion_cost is for host memory alone");
    lean_vector<float> own(std::size_t{1} << 20), copy(own.size());
    auto memory = comm.allocate<float>(own.size());
    auto const median_of = [&](auto const& body) {  // of the slowest rank
        std::array<double, 7> times{};
        for (auto& t : times) {
            comm.barrier(how);
            auto const start = steady::now();
            body();
            t = std::chrono::duration<double>(steady::now() - start).count();
            comm.all_reduce(std::span(&t, 1), max{}, how);
        }
        std::sort(times.begin(), times.end());
        return times[times.size() / 2];
    };
    auto const seconds = [&](std::size_t floats) {
        return median_of([&] { comm.all_reduce(std::span(memory).first(floats), sum{}, how); });
    };
    fusion_cost cost;
    std::size_t const small = 2048;  // beyond the short ways of the smallest vectors
    auto large = 4 * small;
    auto const least = seconds(small);
    auto most = seconds(large);
    while (large < own.size() && 2 * most < longest.count()) {
        large *= 2;
        most = seconds(large);
    }
    auto const bytes = [](std::size_t floats) { return static_cast<double>(floats * 4); };
    cost.beta = std::max((most - least) / (bytes(large) - bytes(small)), 0.0);
    cost.alpha = std::max(least - bytes(small) * cost.beta, 0.0);
    cost.copy = median_of([&] {
                    host::copy(memory.data(), own.data(), large * 4);
                    host::copy(copy.data(), memory.data(), large * 4);
                }) /
                bytes(large);
    return cost;
}

}  // namespace collectives
