// SPDX-License-Identifier: BSD-3-Clause
// Threads of one process exchange bytes before they have a transport.
#include <collectives/launch/bootstrap/threads.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace coll = collectives;
using namespace std::chrono_literals;

namespace {

coll::bootstrap_bytes gift(int r, int n) {
    return coll::bootstrap_bytes(static_cast<std::size_t>((r + n) % 3 * 100),
                                 static_cast<std::byte>(16 * n + r));
}

/// Runs f as these ranks at once; `f` gives a status.
template <class F>
std::vector<int> as_ranks(int size, std::vector<int> const& present, F const& f) {
    coll::bootstraps::thread_exchange exchange(size);
    std::vector<int> statuses(present.size(), -1);
    std::vector<std::thread> ranks;
    for (std::size_t i = 0; i < present.size(); ++i) {
        ranks.emplace_back([&, i] {
            try {
                coll::bootstraps::over_threads me(exchange, present[i]);
                statuses[i] = f(me);
            } catch (coll::timeout_error const& e) {
                statuses[i] = 10 + e.missing().front();
            } catch (coll::peer_lost_error const& e) { statuses[i] = 20 + e.peer(); }
        });
    }
    for (auto& r : ranks) { r.join(); }
    return statuses;
}

}  // namespace

TEST_CASE("threads tell each other bytes") {
    for (int const size : {1, 2, 3, 5, 8}) {
        std::vector<int> all;
        for (int r = 0; r < size; ++r) { all.push_back(r); }
        auto const statuses = as_ranks(size, all, [&](auto& me) {
            for (int n = 0; n < 50; ++n) {
                auto const came = me.all_gather(gift(me.rank(), n), coll::steady::now() + 10s);
                for (int r = 0; r < me.size(); ++r) {
                    if (came[static_cast<std::size_t>(r)] != gift(r, n)) { return 1; }
                }
            }
            return 0;
        });
        CHECK(statuses == std::vector<int>(static_cast<std::size_t>(size), 0));
    }
}

TEST_CASE("threads that do not come are named, and those that leave") {
    auto const wait = [](auto& me) {
        me.all_gather({}, coll::steady::now() + 200ms);
        return 0;
    };
    CHECK(as_ranks(3, {0, 1}, wait) == std::vector{12, 12});
    auto const leave = [](auto& me) {
        if (me.rank() == 1) { return 0; }
        me.all_gather({}, coll::steady::time_point::max());
        return 1;
    };
    CHECK(as_ranks(3, {0, 1, 2}, leave) == std::vector{21, 0, 21});
}

TEST_CASE("after an error a thread's place stays broken") {
    auto const wait = [](auto& me) {
        try {
            me.all_gather({}, coll::steady::now());
        } catch (coll::timeout_error const&) {}
        CHECK_THROWS_AS(me.all_gather({}, coll::steady::now()), coll::transport_error);
        return 0;
    };
    CHECK(as_ranks(2, {0}, wait) == std::vector{0});
}
