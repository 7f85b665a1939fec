// SPDX-License-Identifier: BSD-3-Clause
// What else a rank has under way while it goes on after a loss.
#include <collectives/communicator/core.hpp>
#include <collectives/transport/adapted.hpp>

#include <faults/observed.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace faults {

namespace {

constexpr auto delay = 400ms;

/// Rank 0 is slow to prepare what the survivors go on with, and the others wait for it.
class slow_to_renew final : public coll::adapted {
public:
    using adapted::adapted;
    renewed renew(coll::any_board& broken, coll::loss const& of) override {
        if (rank() == 0) { std::this_thread::sleep_for(delay); }
        return adapted::renew(broken, of);
    }

protected:
    std::shared_ptr<coll::any_transport> over(
        std::shared_ptr<coll::any_transport> next) const override {
        return std::make_shared<slow_to_renew>(std::move(next));
    }
};

}  // namespace

TEST_CASE("another thread of a rank gets on while the rank goes on after a failure") {
    clean_room room;
    shared_array<observation> beside(3), shrinking(3);
    shared_array<double> longest(3);
    job.run(3, [&](coll::communicator& comm) {
        auto slow = comm.with([](std::shared_ptr<coll::any_transport> base) {
            return std::make_shared<slow_to_renew>(std::move(base));
        });
        auto pair = comm.split(comm.rank() == 0 ? 0 : 1);
        core_of(comm)->engine().shared()->work->lock->share();
        std::atomic<bool> over{false};
        std::thread other([&] {
            observe(beside.at(comm), [&] {
                for (int all_over = 0; all_over == 0;) {
                    auto const begin = seconds_now();
                    all_over = over ? 1 : 0;
                    pair.all_reduce(std::span(&all_over, 1), coll::max{}, {.timeout = 10s});
                    auto& most = longest.at(comm);
                    most = std::max(most, seconds_now() - begin);
                }
            });
        });
        std::optional<coll::communicator> rest;
        observe(shrinking.at(comm), [&] { rest.emplace(slow.shrink()); });
        over = true;
        other.join();
        if (rest) { rest->barrier(); }
    });
    for (int const r : {1, 2}) {
        CAPTURE(r);
        CAPTURE(shrinking[r].what());
        CAPTURE(beside[r].what());
        CHECK_EQ(shrinking[r].caught, outcome::result);
        CHECK_EQ(beside[r].caught, outcome::result);
        CHECK_GT(shrinking[r].seconds, 0.9 * std::chrono::duration<double>(delay).count());
        CHECK_LT(longest[r], std::min(0.1 * slowness, 0.2));
    }
}

TEST_CASE("a started call goes on while a peer is slow to leave this rank's memory") {
    clean_room room;
    shared_array<observation> of(3), others(1);
    shared_array<bool> in_memory(1);
    job.run(3, [&](coll::communicator& comm) {
        if (comm.rank() == 0) { in_memory[0] = core_of(comm)->engine().memory() != nullptr; }
        // Rank 0 is in both, the others in one each.
        auto slow = comm.split(comm.rank() == 2 ? 1 : 0);
        auto quick = comm.split(comm.rank() == 1 ? 1 : 0);
        std::vector<int> message(1'000'000, comm.rank());
        if (comm.rank() == 2) {
            std::this_thread::sleep_for(250ms);  // rank 0 has failed, and waits for rank 1
            return observe(of.at(comm), [&] { quick.send(message, 0, 1); });
        }
        std::optional<coll::pending> other;
        if (comm.rank() == 0) {
            other = quick.start_recv(message, 1, 1, {.progress = coll::background});
        }
        auto const add = coll::commutative([late = comm.rank() == 1](int a, int b) {
            thread_local bool has_slept = false;
            if (late && !std::exchange(has_slept, true)) { std::this_thread::sleep_for(600ms); }
            return a + b;
        });
        std::vector<int> data(10'000, 1);
        auto const time = comm.rank() == 0 ? coll::timeout(100ms) : coll::timeout(10s);
        observe(of.at(comm), [&] {
            slow.all_reduce(data, add, {.algorithm = coll::two_shot{}, .timeout = time});
        });
        if (!other) { return; }
        observe(others[0], [&] {
            other->wait();
            if (message.back() != 2) { throw std::logic_error("a wrong message"); }
        });
    });
    CAPTURE(of[0].what());
    CAPTURE(of[2].what());
    CAPTURE(others[0].what());
    CHECK_EQ(of[0].caught, outcome::timeout);
    if (in_memory[0]) {
        CHECK_EQ(others[0].caught, outcome::result);
        CHECK_EQ(of[2].caught, outcome::result);
        CHECK_LT(of[2].seconds, 0.15 * slowness);
    } else {  // to take its memory back a rank may have to drop all messages: each is told of it
        CHECK_NE(others[0].caught, outcome::nothing);
        CHECK_NE(of[2].caught, outcome::nothing);
        CHECK_LT(of[2].seconds, 1.0 * slowness);
    }
}

}  // namespace faults
