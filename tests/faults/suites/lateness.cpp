// SPDX-License-Identifier: BSD-3-Clause
// Ranks that come late, or never: everybody gets a timeout_error that lists exactly those who had
// not come, the late ones too; who comes in time makes the call succeed.
#include <faults/observed.hpp>
#include <faults/variety.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

namespace faults {

namespace {

/// A random choice of ranks, neither none nor all; rank `one` is among them.
std::vector<int> some_ranks(int size, int one) {
    std::vector<int> chosen;
    auto const spared = (one + 1 + below(size - 1)) % size;
    for (int r = 0; r < size; ++r) {
        if (r == one || (r != spared && below(3) == 0)) { chosen.push_back(r); }
    }
    return chosen;
}

/// All but `late` call; those come when the others have been told. call(comm) has a timeout of 200
/// ms.
void check_absence(int size, std::vector<int> const& late, rank_body const& call) {
    clean_room room;
    stories of(size);
    shared_array<std::atomic<int>> here(1), told(1);
    auto const on_time = size - static_cast<int>(late.size());
    job.run(size, [&](coll::communicator& comm) {
        auto& mine = of.at(comm);
        ++here[0];
        await(here[0], size);
        auto const is_late = std::find(late.begin(), late.end(), comm.rank()) != late.end();
        if (is_late) { await(told[0], on_time); }
        observe(mine.call, [&] { call(comm); });
        if (!is_late) { ++told[0]; }
        try_again(mine, comm);
    });
    check_broken(of, outcome::timeout);
    for (int r = 0; r < size; ++r) {
        auto const& e = of[r].error();
        CAPTURE(r);
        CAPTURE(e.what());
        CHECK(e.misses(late));
        auto const is_late = std::find(late.begin(), late.end(), r) != late.end();
        CHECK_LT(e.seconds, (is_late ? 0.1 : 0.7) * slowness);
        if (!is_late) { CHECK_GT(e.seconds, 0.1); }
    }
}

}  // namespace

TEST_CASE("who never comes is missed, and learns of it") {
    for (auto v : variety()) {
        v.how.timeout = 150ms;
        CAPTURE(v.text());
        check_absence(v.size, some_ranks(v.size, v.odd), [&](coll::communicator& comm) {
            std::vector<float> data(v.count, 1);
            comm.all_reduce(data, coll::sum{}, v.how);
        });
    }
}

TEST_CASE("the same in a started call, tested or waited for") {
    for (auto v : variety()) {
        v.how.timeout = 150ms;
        CAPTURE(v.text());
        auto const tests = below(2) == 0;
        check_absence(v.size, some_ranks(v.size, v.odd), [&](coll::communicator& comm) {
            std::vector<double> in(v.count, 1), out(v.count), more(3);
            auto first = comm.start_all_reduce(in, out, coll::max{}, v.how);
            auto second = comm.start_broadcast(more, 0, v.how);
            while (tests && !first.test()) { std::this_thread::sleep_for(1ms); }
            coll::wait_all(first, second);
        });
    }
}

TEST_CASE("the same in each collective") {
    constexpr auto how = coll::options{.timeout = 150ms};
    for (int i = 0; i < repeats(); ++i) {
        auto const size = 2 + below(3);
        auto const late = some_ranks(size, below(size));
        CAPTURE(size);
        auto const blocks = static_cast<std::size_t>(size);
        check_absence(size, late, [&](coll::communicator& comm) { comm.barrier(how); });
        check_absence(size, late, [&](coll::communicator& comm) {
            std::vector<int> in(100 * blocks), out(100);
            comm.reduce_scatter(in, out, coll::sum{}, how);
        });
        check_absence(size, late, [&](coll::communicator& comm) {
            std::vector<int> in(1000), out(1000 * blocks);
            comm.all_gather(in, out, how);
        });
        check_absence(size, late, [&](coll::communicator& comm) {
            std::vector<int> in(1000 * blocks), out(1000 * blocks);
            comm.all_to_all(in, out, how);
        });
        check_absence(size, late, [&](coll::communicator& comm) {
            std::vector<int> in(5000), out(5000);
            comm.reduce(in, out, coll::sum{}, late[0], how);
            // In case it had nothing to wait for. Others may still wait in the reduction: their
            // time ends first.
            comm.barrier({.timeout = 400ms});
        });
    }
}

TEST_CASE("who is late, but in time, makes the call succeed") {
    for (auto v : variety()) {
        v.how.timeout = 2s;
        CAPTURE(v.text());
        clean_room room;
        stories of(v.size);
        CHECK_NOTHROW(job.run(v.size, [&](coll::communicator& comm) {
            observe(of.at(comm).call, [&] {
                if (comm.rank() == v.odd) { std::this_thread::sleep_for(80ms); }
                std::vector<int> data(v.count, comm.rank() + 1);
                comm.all_reduce(data, coll::sum{}, v.how);
                if (data != std::vector<int>(v.count, v.size * (v.size + 1) / 2)) {
                    throw std::logic_error("a wrong sum");
                }
            });
        }));
        for (auto const& s : of) { CHECK_EQ(s.call.caught, outcome::result); }
    }
}

TEST_CASE("a pending call that is dropped waits until its time is over, without an exception") {
    for (auto const& v : variety()) {
        CAPTURE(v.text());
        clean_room room;
        stories of(v.size);
        shared_array<std::atomic<int>> told(1);
        job.run(v.size, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            if (comm.rank() == v.odd) {
                await(told[0], v.size - 1);
            } else {
                observe(mine.call, [&] {
                    std::vector<int> data(v.count);
                    auto how = v.how;
                    how.timeout = 100ms;
                    auto const dropped = comm.start_all_reduce(data, coll::sum{}, how);
                });
                ++told[0];
            }
            try_again(mine, comm);
        });
        for (auto const& s : of) {
            CHECK_LT(s.call.seconds, 0.6 * slowness);
            CHECK_EQ(s.later[0].caught, outcome::timeout);
        }
    }
}

TEST_CASE("each rank has its own timeout; the shortest ends the call for all") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        stories of(3);
        shared_array<std::atomic<int>> here(1);
        job.run(3, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            ++here[0];
            await(here[0], 3);
            if (comm.rank() == 2) { std::this_thread::sleep_for(250ms); }
            std::vector<int> data(10);
            coll::options const how{.timeout = comm.rank() == 0 ? coll::timeout(100ms)
                                                                : coll::timeout::never};
            observe(mine.call, [&] { comm.all_reduce(data, coll::sum{}, how); });
            try_again(mine, comm);
        });
        check_broken(of, outcome::timeout);
        CHECK_LT(of[1].call.seconds, 0.23 * slowness);
        CHECK(of[1].call.missing() == std::vector{2});
    }
}

TEST_CASE("who is still adding when time runs out has no result, nor have its peers") {
    // Rank 0 takes 0.4 s or more. It may be at any place of its last pass.
    for (auto const time : {100ms, 250ms, 320ms, 350ms, 380ms}) {
        for (bool const allocated : {false, true}) {
            CAPTURE(time.count());
            CAPTURE(allocated);
            stories of(4);
            job.run(4, [&](coll::communicator& comm) {
                constexpr std::size_t n = (1 << 20) / sizeof(int);
                std::vector<int> own(2 * n, 1);
                auto shared = comm.allocate<int>(2 * n);
                std::fill(shared.begin(), shared.end(), 1);
                auto* const data = allocated ? shared.data() : own.data();
                std::span const in(data, n), out(data + n, n);
                auto const add = coll::commutative([late = comm.rank() == 0](int a, int b) {
                    thread_local int calls = 0;
                    if (late && ++calls % 512 == 0) { std::this_thread::sleep_for(1ms); }
                    return a + b;
                });
                auto const mine = comm.rank() == 1 ? coll::timeout(time) : coll::timeout(10s);
                observe(of.at(comm).call, [&] {
                    comm.all_reduce(in, out, add, {.algorithm = coll::two_shot{}, .timeout = mine});
                    auto const is_sum = [](int x) { return x == 4; };
                    if (!std::all_of(out.begin(), out.end(), is_sum)) { throw 0; }
                });
            });
            for (auto const& s : of) {
                CAPTURE(s.call.what());
                CHECK((s.call.caught == outcome::timeout || s.call.caught == outcome::result));
            }
        }
    }
}

}  // namespace faults
