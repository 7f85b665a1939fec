// SPDX-License-Identifier: BSD-3-Clause
// Late ranks that read each other's memory, where they can reach it.
#include <conformance/late_suite.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

TYPE_TO_STRING(conformance::over_late_threads);

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(changing_shapes, over_late_threads);
TEST_CASE_TEMPLATE_INVOKE(roots_ahead, over_late_threads);
TEST_CASE_TEMPLATE_INVOKE(pushed_sums, over_late_threads);
TEST_CASE_TEMPLATE_INVOKE(others_left, over_late_threads);
TEST_CASE_TEMPLATE_INVOKE(late_started, over_late_threads);
TEST_CASE_TEMPLATE_INVOKE(late_order, over_late_threads);

/// Two of three ranks, in another order than in the job.
TEST_CASE("one rank that reads measures a call of private vectors, and all ask it") {
    using unreached = partly_reachable::unreached;
    for (auto& rank : unreached::noted) {
        for (auto& how : rank) { how = 0; }
    }
    over_late_threads::run(3, [](coll::communicator& base) {
        auto pair = base.split(base.rank() == 1 ? 1 : 0, -base.rank());
        if (pair.size() == 1) { return; }
        std::vector<float> mine(50'000, static_cast<float>(base.rank())), all(mine.size());
        for (int call = 0; call < 20; ++call) {
            pair.reduce(mine, all, coll::sum{}, 0);  // rank 2 of the job
            CHECK(unreached::last_asked == 2);
            pair.broadcast(mine, 0);
            CHECK(unreached::last_asked == 0);
            auto started = pair.start_broadcast(mine, 1);
            started.wait();  // not measured
        }
    });
    auto const noted = [](int rank) {
        auto const& all = unreached::noted[static_cast<std::size_t>(rank)];
        return all[0] + all[1] + all[2];
    };
    CHECK(noted(0) == 20);
    CHECK(noted(1) == 0);
    CHECK(noted(2) == 20);
}

TEST_CASE("two ranks that lend copy half of a broadcast each") {
    partly_reachable::unreached::puts = 0;
    over_late_threads::run(2, [](coll::communicator& comm) {
        for (std::size_t const n : {std::size_t{5'001}, std::size_t{300'000}}) {  // in passes, too
            std::vector<std::uint32_t> v(n);
            for (std::uint32_t call = 0; call < 64; ++call) {
                auto const root = static_cast<int>(call % 2);
                for (std::size_t i = 0; i < n; ++i) {
                    v[i] = comm.rank() == root ? static_cast<std::uint32_t>(i) + call : 0;
                }
                delays::moment(4);
                // A rank whose vector can be reached does not share, so all mixtures come up.
                partly_reachable::reaches_all = (call / 4 >> comm.rank()) % 2 == 1;
                comm.broadcast(v, root, {.algorithm = coll::star{}, .segment = 0});
                for (std::size_t i = 0; i < n; ++i) {
                    if (v[i] != static_cast<std::uint32_t>(i) + call) {
                        FAIL("element ", i, " of call ", call, " is ", v[i]);
                    }
                }
            }
        }
    });
    CHECK(partly_reachable::unreached::puts > 0);
}

TEST_CASE("a root that has started a broadcast and computes does not hold its reader") {
    std::atomic<int> entered{0}, read{0};  // so many calls
    over_late_threads::run(2, [&](coll::communicator& comm) {
        std::vector<std::uint32_t> v(20'000);
        for (int call = 1; call <= 8; ++call) {
            if (comm.rank() == 1) {
                while (entered < call) { std::this_thread::yield(); }
                comm.broadcast(v, 0, {.algorithm = coll::star{}});
                read = call;
                continue;
            }
            auto started = comm.start_broadcast(v, 0, {.algorithm = coll::star{}});
            started.test();
            entered = call;
            auto const end = coll::steady::now() + std::chrono::seconds(3);
            while (read < call && coll::steady::now() < end) { std::this_thread::yield(); }
            CHECK(read == call);
            started.wait();
        }
    });
}

}  // namespace conformance
