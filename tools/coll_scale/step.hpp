// SPDX-License-Identifier: BSD-3-Clause
// A step of data-parallel training, from the cost model: what it takes, and the speed-up.
#pragma once

#include "cluster.hpp"
#include "model.hpp"

#include <optional>
#include <string>

namespace coll_scale {

/// How gradients travel.
struct way {
    bool fused = false;       // many as one all-reduce, else each by its own
    bool overlapped = false;  // while others are computed, else after the backward pass
    int accumulated = 1;      // passes whose gradients are added up before they travel

    std::string text() const;
};

/// Without and with fusion, without and with overlap.
inline constexpr std::array<way, 4> ways{
    {{false, false, 1}, {true, false, 1}, {false, true, 1}, {true, true, 1}}};

struct step {
    double seconds = 0;  // of all its passes
    double exposed = 0;  // in which nothing is computed
    std::size_t buckets = 0, threshold = 0;
    double speed_up = 1;  // samples per second, by those of one worker
};

class trainer {
public:
    trainer(model const& m, cluster const& on) : model_(&m), on_(on) {}

    model const& what() const { return *model_; }
    cluster const& on() const { return on_; }
    computation of(int workers) const;

    /// A step over so many workers. `threshold`: the most bytes of a bucket, where tensors are
    /// fused; default: the best that plan_fusion finds. O(tensors x log(bytes)).
    step predict(coll::any_algorithm a, int workers, way const& w,
                 std::optional<std::size_t> threshold = {}) const;
    /// What a step of that length comes to.
    double speed_up(int workers, way const& w, double seconds) const;

private:
    model const* model_;
    cluster on_;
};

}  // namespace coll_scale
