// SPDX-License-Identifier: BSD-3-Clause
// Calls that differ in anything that a program depends on have programs of their own.
#include <collectives/communicator/call_fingerprint.hpp>
#include <collectives/communicator/program_cache.hpp>

#include <collectives/core/op.hpp>
#include <collectives/schedule.hpp>
#include <collectives/space/described.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace coll = collectives;

namespace {

std::shared_ptr<coll::detail::program> program_of(coll::detail::call_request const& r) {
    auto const chosen = coll::any_algorithm(coll::star{});
    return std::make_shared<coll::detail::program>(r.shape, chosen, 1,
                                                   coll::detail::fingerprint_of(r, chosen));
}

}  // namespace

TEST_CASE("a kept program answers calls that are the same in everything") {
    coll::reducer op, other_op;
    op.fingerprint = 1;
    other_op.fingerprint = 2;
    coll::detail::call_request base;
    base.shape.what = base.reported_as = coll::collective::all_reduce;
    base.shape.size = 4;
    base.shape.count = 100;
    base.shape.elem_size = 4;
    base.type = 7;
    base.op = &op;

    using change = std::function<void(coll::detail::call_request&)>;
    std::vector<change> const changes{
        [](auto& r) { r.type = 8; },
        [&](auto& r) { r.op = &other_op; },
        [](auto& r) { r.op = nullptr; },
        [](auto& r) { r.shape.count = 101; },
        [](auto& r) { r.shape.root = 1; },
        [](auto& r) { r.shape.what = r.reported_as = coll::collective::reduce; },
        [](auto& r) { r.reported_as = coll::collective::split; },
        [](auto& r) { r.reported_as = coll::collective::split, r.reported_count = 100; },
        [](auto& r) { r.shape.in_place = true; },
        [](auto& r) { r.shape.knows_all_blocks = false; },
        [](auto& r) {
            r.shape.counts = {25, 25, 25, 25};
        },
        [](auto& r) {
            r.shape.counts = {10, 20, 30, 40};
        },
        [](auto& r) { r.shape.counts = {10, 20, 30, 40, 5, 20, 50, 90}; },
        [](auto& r) { r.shape.counts = {10, 20, 30, 40, 6, 20, 50, 90}; },
        [](auto& r) {
            r.shape.recv_counts = {25, 25, 25, 25};
        },
        [](auto& r) { r.how.reproducible = true; },
        [](auto& r) { r.how.segment = 64; },
        [](auto& r) { r.how.algorithm = coll::ring{}; },
        [](auto& r) { r.how.algorithm = coll::hierarchical{2}; },
        [](auto& r) { r.how.algorithm = coll::hierarchical{4}; },
    };
    coll::detail::program_cache cache;
    CHECK(cache.find(base) == nullptr);
    std::vector<std::pair<coll::detail::call_request, std::shared_ptr<coll::detail::program>>> kept;
    kept.emplace_back(base, cache.add(base, program_of(base)));
    for (auto const& c : changes) {
        auto r = base;
        c(r);
        CHECK(cache.find(r) == nullptr);
        kept.emplace_back(r, cache.add(r, program_of(base)));
    }
    for (int twice = 0; twice < 2; ++twice) {
        for (auto const& [r, made] : kept) {
            for (int again = 0; again < 2; ++again) {  // among the others, then as the last one
                auto const* const found = cache.find(r);
                REQUIRE(found != nullptr);
                CHECK(*found == made);
            }
        }
    }
    auto r = base;  // what may differ: memory and time
    float value = 0;
    r.in = r.out = &value;
    r.how.timeout = std::chrono::seconds(1);
    REQUIRE(cache.find(r) != nullptr);
    CHECK(*cache.find(r) == kept.front().second);
    cache.clear();
    CHECK(cache.find(base) == nullptr);
}

TEST_CASE("a kept program answers calls whose operator has another state, and says what they say") {
    auto const request = [](coll::reducer const& op, std::size_t count) {
        coll::detail::call_request r;
        r.shape.what = r.reported_as = coll::collective::all_reduce;
        r.shape.size = 4;
        r.shape.count = count;
        r.shape.elem_size = 4;
        r.type = coll::type_id<float>();
        r.op = &op;
        return r;
    };
    coll::premultiplied_sum const half{0.5F}, third{1 / 3.0F};
    auto const by_half = coll::describe_reducer<float>(half);
    auto const by_third = coll::describe_reducer<float>(third);
    auto const commuting = coll::commutative(half);
    auto const by_other = coll::describe_reducer<float>(commuting);
    CHECK(by_half.fingerprint != by_third.fingerprint);

    coll::detail::program_cache cache;
    auto const first = request(by_half, 100);
    auto const made = cache.add(first, program_of(first));
    CHECK(cache.find(request(by_other, 100)) == nullptr);
    CHECK(cache.find(request(by_third, 101)) == nullptr);
    for (int twice = 0; twice < 2; ++twice) {
        for (auto const* const op : {&by_third, &by_half}) {
            auto const r = request(*op, 100);
            for (int again = 0; again < 2; ++again) {
                auto const* const found = cache.find(r);
                REQUIRE(found != nullptr);
                CHECK(*found == made);
                CHECK(made->call() == coll::detail::fingerprint_of(r, made->algorithm()));
                CHECK(made->hash() == made->call().hash());
            }
        }
    }
}
