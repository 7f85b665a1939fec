// SPDX-License-Identifier: BSD-3-Clause
// Ranks on two hosts, two on each, when the link between these is cut, and when it is slow. The
// hosts are network name spaces, which go with this program.
#define DOCTEST_CONFIG_IMPLEMENT
#include "harness.hpp"
#include "observed.hpp"

#include <coll_wire/command.hpp>
#include <coll_wire/network.hpp>
#include <collectives/communicator/bootstrap_over.hpp>
#include <collectives/ucx.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace faults {

kind_of_job const job = on_shm;

}  // namespace faults

using namespace faults;

namespace {

constexpr int hosts = 2;
constexpr auto limit = 2s;

using both_ways = std::function<void(coll::communicator& all, coll::communicator& wired)>;

/// Calls body on every rank with all ranks, which still reach each other when the link is cut, and
/// with the same ranks over UCX and the link: ranks that share a host by its memory.
void run(coll_wire::network const& net, int ranks_per_host, both_ways const& body) {
    coll::shm::run(hosts * ranks_per_host, [&](coll::communicator& all) {
        net.enter(all.rank() / ranks_per_host);
        ::setenv("UCX_TLS", "tcp,self", 1);
        ::setenv("UCX_NET_DEVICES", coll_wire::network::interface, 1);
        coll::bootstrap_over meeting(all);
        auto base = coll::ucx::communicator(meeting, 10s);
        auto wired = ranks_per_host == 1 ? std::move(base) : coll::bridge_hosts(base);
        body(all, wired);
    });
}

/// The link is cut while the ranks reduce a vector of 8 MiB again and again, which takes at least
/// 0.07 s each time at 1 Gbit/s. What each was told, and how long after the cut.
void check_cut(int ranks_per_host, std::string const& how) {
    CAPTURE(ranks_per_host);
    CAPTURE(how);
    coll_wire::network const net(hosts, 1e9);
    auto const size = hosts * ranks_per_host;
    shared_array<observation> of(size);
    shared_array<double> left(size);
    shared_array<double> cut(1);
    run(net, ranks_per_host, [&](coll::communicator& all, coll::communicator& wired) {
        auto& mine = of.at(all);
        std::vector<float> data(2 << 20);
        wired.all_reduce(data, coll::sum{}, {.timeout = 20s});
        all.barrier();
        std::thread cutter;
        if (all.rank() == 0) {
            cutter = std::thread([&] {
                std::this_thread::sleep_for(200ms);
                coll_wire::output_of(coll_wire::split(how));
                cut[0] = seconds_now();
            });
        }
        while (mine.caught == outcome::nothing || mine.caught == outcome::result) {
            observe(mine, [&] { wired.all_reduce(data, coll::sum{}, {.timeout = limit}); });
        }
        if (cutter.joinable()) { cutter.join(); }
        { auto const gone = std::move(wired); }
        left.at(all) = seconds_now();
    });
    for (int r = 0; r < size; ++r) {
        CAPTURE(r);
        CAPTURE(of[r].what());
        auto const& seen = of[r];
        CHECK((seen.caught == outcome::timeout || seen.caught == outcome::peer_lost));
        CHECK_LT(seen.seconds, 2.5 * slowness);
        CHECK_GT(seen.ended, cut[0]);
        CHECK_LT(left[r], seen.ended + 2 * slowness);
    }
}

/// All-reduces over links of 1 Mbit/s, each with 4 times what it takes at least: the vector goes
/// over each link once in each direction.
void check_slow(int ranks_per_host) {
    CAPTURE(ranks_per_host);
    constexpr double rate = 1e6;
    coll_wire::network const net(hosts, rate);
    auto const size = hosts * ranks_per_host;
    coll::any_algorithm algorithm = coll::ring{};
    if (ranks_per_host > 1) { algorithm = coll::hierarchical{ranks_per_host}; }
    shared_array<observation> of(size);
    shared_array<double> taken(size);
    run(net, ranks_per_host, [&](coll::communicator& all, coll::communicator& wired) {
        observe(of.at(all), [&] {
            std::vector<float> data(32 << 10);
            wired.all_reduce(data, coll::sum{});  // the link lets as much pass at once
            for (std::size_t const n : {16UL << 10, 32UL << 10}) {
                data.assign(n, 1);
                auto const ideal = static_cast<double>(n * sizeof(float)) * 8 / rate;
                auto const most = std::chrono::duration<double>(4 * ideal);
                all.barrier();
                auto const begin = seconds_now();
                wired.all_reduce(data, coll::sum{}, {.algorithm = algorithm, .timeout = most});
                taken.at(all) = std::max(taken.at(all), (seconds_now() - begin) / ideal);
                if (std::count(data.begin(), data.end(), static_cast<float>(size)) !=
                    std::ssize(data)) {
                    throw std::logic_error("a wrong sum");
                }
            }
        });
    });
    for (int r = 0; r < size; ++r) {
        CAPTURE(r);
        CAPTURE(of[r].what());
        CHECK_EQ(of[r].caught, outcome::result);
        MESSAGE("times the ideal: ", taken[r]);
    }
}

/// With a rank on each host and with two, once unless more is asked for.
void repeat(std::function<void(int ranks_per_host)> const& check) {
    auto const times = std::getenv("COLLECTIVES_TEST_REPEAT") == nullptr ? 1 : repeats();
    for (int again = 0; again < times; ++again) {
        watchdog const guard;
        for (int const n : {1, 2}) { check(n); }
    }
}

}  // namespace

TEST_CASE("a link that goes down in the middle of a transfer") {
    repeat([](int n) { check_cut(n, "ip link set wire0 down"); });
}

TEST_CASE("a route that swallows what is sent in the middle of a transfer") {
    repeat([](int n) { check_cut(n, "ip route add blackhole 10.77.0.2/32"); });
}

TEST_CASE("a slow link is not taken for one that is cut") { repeat(check_slow); }

int main(int argc, char** argv) {
    try {
        coll_wire::network const net(hosts, 1e9);
    } catch (coll_wire::not_permitted const& e) {
        fmt::print("skipped: {}\n", e.what());
        return 77;
    }
    return doctest::Context(argc, argv).run();
}
