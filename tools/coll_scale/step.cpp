// SPDX-License-Identifier: BSD-3-Clause
#include "step.hpp"

#include <fmt/format.h>

#include <span>

namespace coll_scale {

std::string way::text() const {
    std::string out = fused ? "fusion" : "each tensor by itself";
    if (overlapped) { out += ", overlap"; }
    if (accumulated > 1) { out += fmt::format(", {} passes accumulated", accumulated); }
    return out;
}

computation trainer::of(int workers) const {
    auto const samples = on_.splits ? static_cast<double>(on_.batch) / workers : on_.batch;
    auto const backward = model_->backward_flops() * samples / on_.flops;
    return {backward / 2, backward};
}

step trainer::predict(coll::any_algorithm a, int workers, way const& w,
                      std::optional<std::size_t> threshold) const {
    auto const compute = of(workers);
    auto pass = backward_pass(*model_, compute.backward);
    if (!w.overlapped) {
        for (auto& g : pass) { g.ready = compute.backward; }
    }
    // A bucket's cost is linear in its bytes but for the rounding of chunks.
    auto const bytes = static_cast<std::int64_t>(model_->elements() * sizeof(float));
    auto const none = coll_predict::seconds(a, workers, 0, on_.at);
    auto const all = coll_predict::seconds(a, workers, bytes, on_.at);
    coll::fusion_cost const cost{none, (all - none) / static_cast<double>(bytes),
                                 workers > 1 ? on_.copy : 0};
    std::span<coll::ready_tensor const> const tensors(pass);
    auto const p = !w.fused    ? coll::predict_fusion(tensors, 0, cost)
                   : threshold ? coll::predict_fusion(tensors, *threshold, cost)
                               : coll::plan_fusion(tensors, cost).best;
    step s{w.accumulated * compute.seconds() + p.exposed, p.exposed, p.buckets, p.threshold, 1};
    s.speed_up = speed_up(workers, w, s.seconds);
    return s;
}

double trainer::speed_up(int workers, way const& w, double seconds) const {
    auto const samples = on_.splits ? 1 : workers;  // by those of a step of one worker
    return samples * w.accumulated * of(1).seconds() / seconds;
}

}  // namespace coll_scale
