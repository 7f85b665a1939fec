// SPDX-License-Identifier: BSD-3-Clause
// Faults of ranks that reach each other by UCX.
#include <collectives/ucx.hpp>

#include <faults/harness.hpp>
#include <faults/observed.hpp>
#include <ucx/world.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

namespace faults {

kind_of_job const job{ucx_world::run, true, 40, 20ms, 500ms};

TEST_CASE("ranks that do not connect are an error of those that do") {
    shared_array<observation> of(3);
    coll::shm::run(3, [&](coll::communicator& base) {
        coll::bootstrap_over meeting(base);
        if (base.rank() == 2) {
            meeting.all_gather({}, coll::steady::now() + 5s);  // it tells no address
            return;
        }
        observe(of.at(base), [&] { (void)coll::ucx::communicator(meeting, 5s); });
    });
    for (int r = 0; r < 2; ++r) {
        CHECK_EQ(of[r].caught, outcome::transport);
        CHECK(of[r].says("rank 2 sent no address"));
    }
}

namespace {

/// Shows its link.
struct bare_transport : coll::ucx::transport {
    using coll::ucx::transport::transport;
    using coll::wire::transport<coll::ucx::link>::way;
};

}  // namespace

TEST_CASE("a rank that sleeps wakes in time though another sends as fast as it can") {
    shared_array<double> longest(1);
    coll::shm::run(2, [&](coll::communicator& base) {
        coll::bootstrap_over meeting(base);
        bare_transport over(meeting, coll::steady::now() + 5s);
        auto& link = over.way();
        std::vector<std::byte> const data(2000);  // about as dear to take in as to send
        auto const until = seconds_now() + (base.rank() == 0 ? 0.3 : 0.5);
        std::deque<coll::ucx::link::handle> sent;
        coll::wire::arrival ignored;
        while (seconds_now() < until) {
            auto const before = seconds_now();
            if (base.rank() == 0) {
                link.doze([] { return false; }, 1ms);
                longest[0] = std::max(longest[0], seconds_now() - before);
            } else if (sent.size() < 100) {
                sent.push_back(link.send(data.data(), data.size(), 0, 5));
            } else if (link.test(sent.front(), ignored)) {
                sent.pop_front();
            } else {
                link.progress();
            }
        }
        base.barrier();
        over.note_trouble();  // what was not received goes with the link
        base.barrier();
    });
    CHECK_LT(longest[0], 0.1 * slowness);
}

TEST_CASE("a rank that closed its data worker is lost to those who wait, and lives") {
    auto const* const ways = std::getenv("UCX_TLS");
    if (ways == nullptr || std::string_view(ways).find("tcp") == std::string_view::npos) {
        MESSAGE("skipped: UCX_TLS does not say tcp, and over shared memory UCX looks at processes");
        return;
    }
    shared_array<std::optional<coll::peer_exit>> seen(1);
    coll::shm::run(2, [&](coll::communicator& base) {
        coll::bootstrap_over meeting(base);
        bare_transport over(meeting, coll::steady::now() + 5s);
        over.note_trouble();
        if (base.rank() == 1) { over.way().drop_data(); }
        base.barrier();
        if (base.rank() == 0) {
            for (auto const until = seconds_now() + slowness; !seen[0] && seconds_now() < until;) {
                over.poll();
                over.receive_control();
                std::this_thread::sleep_for(1ms);
                seen[0] = over.gone(1);
            }
        }
        base.barrier();
    });
    REQUIRE(seen[0].has_value());
    CHECK(seen[0]->lives);
    CHECK_FALSE(seen[0]->died);
}

}  // namespace faults
