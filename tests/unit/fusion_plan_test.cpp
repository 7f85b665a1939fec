// SPDX-License-Identifier: BSD-3-Clause
// The prediction of what fusion hides, held against numbers by hand.
#include <collectives/fusion/plan.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace coll = collectives;

namespace {

std::vector<coll::ready_tensor> every(double seconds, std::size_t n, std::size_t bytes) {
    std::vector<coll::ready_tensor> all;
    for (std::size_t i = 0; i < n; ++i) {
        all.push_back({{1, 1, bytes, 0}, seconds * static_cast<double>(i + 1)});
    }
    return all;
}

}  // namespace

TEST_CASE("each bucket starts when it is ready and the one before it is through") {
    auto const tensors = every(1, 4, 1000);  // ready at 1, 2, 3, 4
    coll::fusion_cost const cost{0.5, 0.001, 0.0001};
    auto const alone = coll::predict_fusion(tensors, 0, cost);  // 1.5 each, no copies
    CHECK(alone.buckets == 4);
    CHECK(alone.communication == doctest::Approx(6));
    CHECK(alone.finish == doctest::Approx(1 + 4 * 1.5));
    CHECK(alone.exposed == doctest::Approx(3));
    CHECK(alone.hidden() == doctest::Approx(3));
    auto const pairs = coll::predict_fusion(tensors, 2000, cost);  // 0.5 + 2.2 each
    CHECK(pairs.buckets == 2);
    CHECK(pairs.finish == doctest::Approx(2 + 2 * 2.7));
    auto const whole = coll::predict_fusion(tensors, 1 << 20, cost);
    CHECK(whole.buckets == 1);
    CHECK(whole.exposed == doctest::Approx(0.5 + 4.4));
    CHECK(whole.hidden() == doctest::Approx(0));
}

TEST_CASE("the plan: one bucket where starts are dear, many where they are free") {
    auto const tensors = every(1e-3, 100, 10'000);
    CHECK(coll::plan_fusion(tensors, {1, 1e-9, 0}).best.buckets == 1);
    CHECK(coll::plan_fusion(tensors, {0, 1e-7, 0}).best.threshold == 0);
    auto const none = coll::plan_fusion({}, {1, 1, 1});
    CHECK(none.best.exposed == 0);
    // Where the link is the narrow place, M sqrt(alpha / T) is the best size of a bucket: the
    // first has to be waited for, and every one costs its start.
    double const alpha = 1e-3, beta = 1.5e-7, time = 0.1, total = 1e6;
    auto const plan = coll::plan_fusion(tensors, {alpha, beta, 0});
    auto const expected = total * std::sqrt(alpha / time);
    CHECK(static_cast<double>(plan.best.threshold) > expected / 2);
    CHECK(static_cast<double>(plan.best.threshold) < expected * 2);
    for (auto const& p : plan.tried) { CHECK(p.finish >= plan.best.finish); }
}
