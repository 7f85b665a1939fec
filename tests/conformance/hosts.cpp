// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over ranks of several hosts: two processes of one machine share a host, and
// reach the others over a transport that happens to be shared memory too.
#include <collectives/launch/host_identity.hpp>
#include <collectives/launch/hosts.hpp>
#include <collectives/select/model_text.hpp>
#include <collectives/tune.hpp>

#include <conformance/suites.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace conformance {

namespace {

template <int PerHost>
void run_hosts_of(int size, rank_body const& body) {
    ::setenv("COLLECTIVES_RANKS_PER_HOST", std::to_string(PerHost).c_str(), 1);
    coll::shm::run(size, [&body](coll::communicator& base) {
        auto comm = coll::bridge_hosts(base);
        body(comm);
    });
}
constexpr world over_pairs{"two ranks per host", run_hosts_of<2>};
constexpr world over_threes{"three ranks per host", run_hosts_of<3>};

}  // namespace

TEST_CASE("every collective with every algorithm") {
    over_each({over_pairs, over_threes}, every_collective);
}
TEST_CASE("every root") { every_root(over_pairs); }
TEST_CASE("elements of any size at any address") { every_element(over_pairs); }
TEST_CASE("several calls under way") { several_under_way(over_pairs); }
TEST_CASE("messages") { messages_between_two(over_pairs); }
TEST_CASE("planned calls") { planned_calls(over_pairs); }
TEST_CASE("calls that go on alone") { calls_that_go_on_alone(over_pairs); }
TEST_CASE("messages that wait") { probes(over_pairs); }
TEST_CASE("messages both ways at once") { exchanges(over_pairs); }
TEST_CASE("groups") { groups(over_pairs); }
TEST_CASE("threads of a rank") { threads_of_a_rank(over_pairs); }
TEST_CASE("all ranks get the same bits") { equal_bits(over_pairs); }
TEST_CASE("reproducible is the left fold") { reproducible(over_pairs); }
TEST_CASE("scans keep the order") { scans(over_pairs); }
TEST_CASE("counted bytes are those of the cost model") { counted_bytes(over_pairs); }

TEST_CASE("ranks that disagree about their hosts are told so") {
    auto const run = [] {
        coll::shm::run(3, [](coll::communicator& base) {
            ::setenv("COLLECTIVES_RANKS_PER_HOST", base.rank() == 2 ? "3" : "2", 1);
            auto comm = coll::bridge_hosts(base);
        });
    };
    CHECK_THROWS_WITH_AS(
        run(), doctest::Contains("COLLECTIVES_RANKS_PER_HOST differs: rank 0 has 2, rank 2 has 3"),
        coll::run_error);
}

TEST_CASE("a rank that does not come to its host is a time-out on all hosts") {
    auto const start = coll::steady::now();
    ::setenv("COLLECTIVES_RANKS_PER_HOST", "2", 1);
    coll::shm::run(4, [](coll::communicator& comm) {
        if (comm.rank() == 3) {  // says where it is, and stays away
            auto const mine = coll::detail::host_identity_of_this_process();
            std::vector<coll::detail::host_identity> identities(4);
            comm.all_gather(std::span(&mine, 1), identities);
            return std::this_thread::sleep_for(std::chrono::seconds(1));
        }
        try {
            auto bridged = coll::bridge_hosts(comm, std::chrono::milliseconds(500));
            expect(false, "it returned");
        } catch (coll::timeout_error const& e) { expect(e.missing() == std::vector{3}, e.what()); }
    });
    CHECK(coll::steady::now() - start < std::chrono::seconds(4));
}

TEST_CASE("a rank that never calls fails the others too, in time") {
    auto const start = coll::steady::now();
    auto const run = [] {
        ::setenv("COLLECTIVES_RANKS_PER_HOST", "2", 1);
        coll::shm::run(4, [](coll::communicator& base) {
            auto flat = base.split(0);
            if (base.rank() == 3) { return; }
            auto comm = coll::bridge_hosts(flat, std::chrono::milliseconds(500));
        });
    };
    CHECK_THROWS_AS(run(), coll::run_error);
    CHECK(coll::steady::now() - start < std::chrono::seconds(4));
}

TEST_CASE("automatic takes the hosts where they are alike, and says why where they are not") {
    auto const explained = [](int size) {
        over_pairs.run(size, [size](coll::communicator& comm) {
            auto const why = comm.explain(1 << 20).why;
            auto const offers = why.find("\n  hierarchical:2: ") != std::string::npos;
            auto const excuses =
                why.find("\n  not hierarchical: hosts have from 1 to 2 ranks") != std::string::npos;
            expect(offers == (size % 2 == 0 && size > 2), why);
            expect(excuses == (size % 2 == 1 && size > 2), why);
            auto traced = comm.with(coll::traced{});
            expect(traced.explain(1 << 20).why == why, "adaptors hand the hosts on");
            auto mixed = comm.split(0, -comm.rank());  // hosts from the last to the first
            auto const turned = mixed.explain(1 << 20).why;
            expect((turned.find("hierarchical:2: ") != std::string::npos) == offers, turned);
        });
    };
    for (int const size : {1, 2, 3, 4, 5, 8}) { explained(size); }
}

TEST_CASE("tune measures prices inside hosts and between them, the same on all ranks") {
    for (int const size : {1, 2, 4, 5}) {
        over_pairs.run(size, [size](coll::communicator& comm) {
            auto const before = comm.model();
            auto const m = coll::tune(comm);
            std::vector<coll::machine_model> all(static_cast<std::size_t>(size));
            comm.all_gather(std::span(&m, 1), all);
            for (auto const& its : all) {
                expect(coll::detail::to_text(its) == coll::detail::to_text(m), "prices differ");
            }
            expect(m.link_round >= 0 && m.link_message >= 0 && m.link_byte >= 0, "below zero");
            expect((m.byte != before.byte) == (size > 1), "measured where there is a peer");
            expect((m.link_byte != before.link_byte) == (size > 2), "and another host");
            expect(comm.model().link_byte == m.link_byte, "used from now on");
        });
    }
}

}  // namespace conformance
