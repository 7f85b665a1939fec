// SPDX-License-Identifier: BSD-3-Clause
// Ranks that leave early or throw: all others get a peer_lost_error with its number within half a
// second, and `run` throws what came first.
#include <faults/lost.hpp>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace faults {

TEST_CASE("a rank returns early") {
    for (auto const& v : variety()) {
        CAPTURE(v.text());
        clean_room room;
        stories of(v.size);
        shared_array<double> when(1);
        auto const rounds = below(4);
        CHECK_NOTHROW(job.run(v.size, [&](coll::communicator& comm) {
            if (comm.rank() == v.odd) {
                std::vector<int> data(v.count);
                for (int i = 0; i < rounds; ++i) { comm.all_reduce(data, coll::sum{}, v.how); }
                std::this_thread::sleep_for(std::chrono::milliseconds(v.count % 7));
                when[0] = seconds_now();
                return;
            }
            observe(of.at(comm).call, [&] { loop(comm, v, rounds, [] {}); });
            try_again(of.at(comm), comm);
        }));
        check_lost(of, v.odd, when[0]);
    }
}

TEST_CASE("a rank throws between collectives") {
    for (auto const& v : variety()) {
        CAPTURE(v.text());
        clean_room room;
        stories of(v.size);
        shared_array<double> when(1);
        observation ending;
        auto const rounds = below(4);
        observe(ending, [&] {
            job.run(v.size, [&](coll::communicator& comm) {
                auto const depart = [&] {
                    when[0] = seconds_now();
                    throw std::out_of_range("lost my way");
                };
                if (comm.rank() == v.odd) { loop(comm, v, rounds, depart); }
                observe(of.at(comm).call, [&] { loop(comm, v, rounds, depart); });
                try_again(of.at(comm), comm);
            });
        });
        check_lost(of, v.odd, when[0]);
        CHECK_EQ(ending.caught, job.processes ? outcome::run : outcome::foreign);
        CHECK(ending.says("lost my way"));
        if (job.processes) { CHECK_EQ(ending.peer, v.odd); }
    }
}

TEST_CASE("the first failure is what run throws, not its consequences") {
    for (auto const& v : variety()) {
        CAPTURE(v.text());
        clean_room room;
        observation ending;
        observe(ending, [&] {
            job.run(v.size, [&](coll::communicator& comm) {
                loop(comm, v, 2, [] { throw std::out_of_range("lost my way"); });
            });
        });
        CHECK_EQ(ending.caught, job.processes ? outcome::run : outcome::foreign);
        CHECK(ending.says("lost my way"));
    }
}

namespace {

thread_local bool explosive = false;

/// A sum that throws on the rank where `explosive` is set.
constexpr auto touchy_sum = coll::commutative([](int a, int b) {
    if (explosive) { throw std::runtime_error("the operator gave up"); }
    return a + b;
});

}  // namespace

TEST_CASE("an operator throws: its rank gets that exception, the others a lost peer") {
    for (auto v : variety()) {
        auto const lingers = below(2) == 0;  // the rank catches the exception and stays
        prepare_for_operator(v);
        CAPTURE(v.text());
        CAPTURE(lingers);
        clean_room room;
        stories of(v.size);
        shared_array<double> when(1);
        shared_array<std::atomic<int>> done(1);
        observation ending;
        observe(ending, [&] {
            job.run(v.size, [&](coll::communicator& comm) {
                auto& mine = of.at(comm);
                observe(mine.call, [&] {
                    auto const data = vector_for<int>(comm, v);
                    comm.all_reduce(data.span(), touchy_sum, v.how);
                    explosive = comm.rank() == v.odd;
                    comm.all_reduce(data.span(), touchy_sum, v.how);
                    comm.barrier(v.how);
                });
                explosive = false;
                if (comm.rank() != v.odd) {
                    try_again(mine, comm);
                    ++done[0];
                    return;
                }
                when[0] = mine.call.ended;
                if (!lingers) { throw std::runtime_error("so did the rank"); }
                await(done[0], v.size - 1);
                try_again(mine, comm);
            });
        });
        auto const& culprit = of[v.odd].call;
        CHECK_EQ(culprit.caught, outcome::foreign);
        CHECK_EQ(culprit.what(), "the operator gave up");
        check_lost(of, v.odd, when[0]);
        CHECK_EQ(ending.caught, lingers         ? outcome::result
                                : job.processes ? outcome::run
                                                : outcome::foreign);
        if (lingers) { CHECK_EQ(of[v.odd].later[0].caught, outcome::peer_lost); }
    }
}

}  // namespace faults
