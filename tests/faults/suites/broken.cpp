// SPDX-License-Identifier: BSD-3-Clause
// A communicator that failed: every further call throws at once, destructors do not hang; and what
// is not of its ranks goes on working.
#include <faults/observed.hpp>
#include <faults/variety.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

namespace faults {

TEST_CASE("each further call of any kind throws the same at once") {
    constexpr int kinds = 18;
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        shared_array<std::array<observation, kinds>> of(3);
        shared_array<std::atomic<int>> told(1);
        job.run(3, [&](coll::communicator& comm) {
            observation first;
            std::vector<int> one(1), other(1), three(3), other_three(3);
            auto const late = comm.rank() == 2;
            auto started = late ? std::nullopt : std::optional(comm.start_all_reduce(one));
            if (!late) {
                observe(first, [&] { comm.barrier({.timeout = 30ms}); });
                ++told[0];
            }
            await(told[0], 2);
            std::vector<std::function<void()>> const calls{
                [&] { comm.all_reduce(other); },
                [&] { comm.all_reduce(three, other_three, coll::max{}); },
                [&] { comm.reduce_scatter(three, other); },
                [&] { comm.all_gather(other, three); },
                [&] { comm.broadcast(three, 1); },
                [&] { comm.reduce(three, other_three, coll::sum{}, 2); },
                [&] { comm.gather(other, three, 0); },
                [&] { comm.scatter(three, other, 0); },
                [&] { comm.all_to_all(three, other_three); },
                [&] { comm.barrier(); },
                [&] { comm.send(other, (comm.rank() + 1) % 3); },
                [&] { comm.recv(other, (comm.rank() + 1) % 3); },
                [&] { (void)comm.split(0); },
                [&] { (void)comm.allocate<double>(10); },
                [&] { (void)comm.with(coll::counted{}); },
                [&] { (void)comm.start_all_reduce(three); },
                [&] { (void)comm.start_recv(other, 0); },
                [&] { started ? started->wait() : comm.barrier(); },
            };
            for (std::size_t k = 0; k < kinds; ++k) { observe(of.at(comm)[k], calls[k]); }
        });
        for (auto const& mine : of) {
            for (std::size_t k = 0; k < kinds; ++k) {
                CAPTURE(k);
                CAPTURE(mine[k].what());
                CHECK_EQ(mine[k].caught, outcome::timeout);
                CHECK_LT(mine[k].seconds, 0.05 * slowness);
            }
        }
    }
}

namespace {

bool ends_well(coll::pending& call) try { return call.test(); } catch (coll::error const&) {
    return false;
}

}  // namespace

TEST_CASE("pending calls of a communicator that failed can be dropped, tested, moved") {
    for (auto const& v : variety()) {
        CAPTURE(v.text());
        clean_room room;
        stories of(v.size);
        job.run(v.size, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            observe(mine.call, [&] {
                std::vector<float> a(v.count), b(v.count), c(v.count), d(500'000);
                auto first = comm.start_all_reduce(a, coll::sum{}, v.how);
                auto second = comm.start_all_reduce(b, coll::sum{}, v.how);
                auto const next = (comm.rank() + 1) % v.size;
                auto third = comm.start_recv(c, next, 3), fourth = comm.start_send(d, next, 4);
                if (comm.rank() == v.odd) { comm.abort("no more"); }
                auto moved = std::move(second);
                second = std::move(first);
                try {
                    while (!third.test()) {}
                } catch (coll::error const&) {  // and again, whatever is asked
                    for (auto* const p : {&third, &fourth, &third, &fourth}) {
                        if (ends_well(*p)) { throw std::logic_error("a call that failed ended"); }
                    }
                    throw;
                }
            });
            try_again(mine, comm);
        });
        check_broken(of, outcome::other_error);
    }
}

TEST_CASE("a failure in a part leaves the other parts and the whole usable") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        stories of(5);
        shared_array<std::atomic<int>> told(1);
        CHECK_NOTHROW(job.run(5, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            auto part = comm.split(comm.rank() % 2, -comm.rank());  // 4 2 0 and 3 1
            if (comm.rank() % 2 == 0) {
                auto const late = comm.rank() == 2;  // which is rank 1 of its part
                if (late) { await(told[0], 2); }
                observe(mine.call, [&] { part.barrier({.timeout = 100ms}); });
                if (!late) { ++told[0]; }
                try_again(mine, part);
            } else {
                observe(mine.call, [&] {
                    for (int k = 0; k < 100; ++k) {
                        std::vector<int> sum(1, part.rank());
                        part.all_reduce(sum);
                        if (sum[0] != 1) { throw std::logic_error("a wrong sum in the part"); }
                    }
                });
            }
            std::vector<int> sum(2000, comm.rank());
            comm.all_reduce(sum);
            if (sum != std::vector<int>(2000, 10)) { throw std::logic_error("a wrong sum"); }
            auto again = comm.split(comm.rank() % 2);
            again.all_reduce(sum);
            if (sum[7] != (comm.rank() % 2 == 0 ? 30 : 20)) {
                throw std::logic_error("a wrong sum");
            }
        }));
        for (int r = 0; r < 5; ++r) {
            CAPTURE(r);
            CHECK_EQ(of[r].call.caught, r % 2 == 0 ? outcome::timeout : outcome::result);
            if (r % 2 == 0) { CHECK(of[r].call.misses({1})); }
        }
    }
}

TEST_CASE("a failure of the whole leaves the parts usable, as long as their ranks live") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        stories of(4);
        CHECK_NOTHROW(job.run(4, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            auto part = comm.split(comm.rank() == 3 ? 1 : 0);
            if (comm.rank() == 3) { return; }
            observe(mine.call, [&] { comm.barrier(); });
            for (std::size_t k = 0; k < 100; ++k) {
                std::vector<long> sum(k * 100 + 1, 1);
                part.all_reduce(sum);
                if (sum.back() != 3) { throw std::logic_error("a wrong sum in the part"); }
            }
            try_again(mine, comm);
        }));
        for (int r = 0; r < 3; ++r) {
            CHECK_EQ(of[r].call.caught, outcome::peer_lost);
            CHECK_EQ(of[r].call.peer, 3);
        }
    }
}

TEST_CASE("the same failures through an adaptor") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        stories mismatched(3), late(3), lost(3);
        job.run(3, [&](coll::communicator& base) {
            auto first = base.with(coll::counted{});
            auto second = base.with(coll::traced{});
            auto third = base.with(coll::counted{}).with(coll::traced{});
            auto const odd = base.rank() == 1;
            observe(mismatched.at(base).call, [&] {
                std::vector<int> data(odd ? 500 : 501);
                first.all_reduce(data);
            });
            try_again(mismatched.at(base), first);
            if (odd) { std::this_thread::sleep_for(150ms); }
            observe(late.at(base).call, [&] { second.barrier({.timeout = 50ms}); });
            try_again(late.at(base), second);
            if (odd) { return; }
            observe(lost.at(base).call, [&] { third.barrier(); });
            try_again(lost.at(base), third);
        });
        check_broken(mismatched, outcome::mismatch);
        check_broken(late, outcome::timeout);
        CHECK(late[0].call.misses({1}));
        CHECK_EQ(lost[0].call.caught, outcome::peer_lost);
        CHECK_EQ(lost[2].call.peer, 1);
    }
}

}  // namespace faults
