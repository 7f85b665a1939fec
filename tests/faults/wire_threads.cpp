// SPDX-License-Identifier: BSD-3-Clause
// Faults of ranks that share no memory and are threads, so that the thread sanitizer sees them.
#include <conformance/thread_link.hpp>

#include <faults/harness.hpp>
#include <faults/observed.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

namespace faults {

kind_of_job const job{
    [](int size, rank_body const& body) { conformance::over_thread_link::run(size, body); }, false,
    40, 20ms};

TEST_CASE("abort on the thread that made a communicator, beside one that sends and receives") {
    for (int i = 0; i < 20 * repeats(); ++i) {
        shared_array<observation> of(2);
        job.run(2, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            std::thread worker([&] {
                observe(mine, [&] {
                    std::vector<int> data(1);
                    for (;;) {
                        comm.send(data, 1 - comm.rank(), 3);
                        comm.recv(data, 1 - comm.rank(), 3);
                    }
                });
            });
            std::this_thread::sleep_for(std::chrono::microseconds(i * 150 % 4000));
            if (comm.rank() == 0) { comm.abort("enough"); }
            worker.join();
        });
        for (auto const& seen : of) {
            CHECK_EQ(seen.caught, outcome::other_error);
            CHECK(seen.says("enough"));
        }
    }
}

namespace {

/// Ranks 0 and 1 time out, in the background, while ranks 2 and 3 work, likewise: how long the
/// longest call of rank 3 took, which waits for what the background thread does for rank 2.
double longest_beside_time_out() {
    constexpr std::size_t calls = 40;
    shared_array<double> longest(1);
    shared_array<observation> of(1);
    job.run(4, [&](coll::communicator& comm) {
        auto pair = comm.split(comm.rank() / 2);
        coll::options const by_itself{.timeout = 100ms, .progress = coll::background};
        std::vector<int> in(2, 1), out(2 * calls);
        auto const place = [&](std::size_t i) { return std::span(out).subspan(2 * i, 2); };
        comm.barrier();
        if (comm.rank() == 0) {
            auto never = pair.start_all_reduce(in, place(0), coll::sum{}, by_itself);
            std::this_thread::sleep_for(300ms);
            observe(of[0], [&] { never.wait(); });
        } else if (comm.rank() == 1) {  // says nothing, so rank 0 asks in vain
            std::this_thread::sleep_for(300ms);
        } else if (comm.rank() == 2) {
            std::vector<coll::pending> all;
            for (std::size_t i = 0; i < calls; ++i) {
                all.push_back(pair.start_all_reduce(
                    in, place(i), coll::sum{},
                    {.algorithm = coll::ring{}, .progress = coll::background}));
            }
            std::this_thread::sleep_for(300ms);
            for (auto& one : all) { one.wait(); }
        } else {
            std::this_thread::sleep_for(60ms);
            for (std::size_t i = 0; i < calls; ++i) {
                auto const begin = seconds_now();
                pair.all_reduce(in, place(i), coll::sum{}, {.algorithm = coll::ring{}});
                longest[0] = std::max(longest[0], seconds_now() - begin);
                std::this_thread::sleep_for(3ms);
            }
        }
    });
    CHECK_EQ(of[0].caught, outcome::timeout);
    return longest[0];
}

}  // namespace

TEST_CASE("time that runs out in the background does not hold up the calls of other ranks") {
    clean_room room;
    auto longest = 1.0;
    for (int again = 0; again < 3 && longest > 0.025 * slowness; ++again) {
        longest = longest_beside_time_out();
    }
    CHECK_LT(longest, 0.025 * slowness);
}

}  // namespace faults
