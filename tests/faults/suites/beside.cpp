// SPDX-License-Identifier: BSD-3-Clause
// What else a rank has under way while it goes on after a loss.
#include <collectives/communicator/core.hpp>
#include <collectives/transport/adapted.hpp>

#include <faults/observed.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

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
        comm.core()->engine().shared()->work->lock->share();
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

}  // namespace faults
