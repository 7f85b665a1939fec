// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over ranks that share hosts, and what is theirs alone.
#include <mpi/world.hpp>

#include <collectives/launch/hosts.hpp>

#include <conformance/cells.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace conformance {

TEST_CASE("every collective with every algorithm") { every_collective(over_hosts); }
TEST_CASE("every root") { every_root(over_hosts); }
TEST_CASE("elements of any size at any address") { every_element(over_hosts); }
TEST_CASE("blocks of any sizes") { any_cut(over_hosts); }
TEST_CASE("blocks at any places") { any_places(over_hosts); }
TEST_CASE("several calls under way") { several_under_way(over_hosts); }
TEST_CASE("ends of started calls") { ends_of_calls(over_hosts); }
TEST_CASE("planned calls") { planned_calls(over_hosts); }
TEST_CASE("ranges of all kinds") { all_ranges(over_hosts); }
TEST_CASE("messages") { messages_between_two(over_hosts); }
TEST_CASE("messages that wait") { probes(over_hosts); }
TEST_CASE("messages both ways at once") { exchanges(over_hosts); }
TEST_CASE("groups") { groups(over_hosts); }
TEST_CASE("groups at the same time") { groups_at_once(over_hosts); }
TEST_CASE("all ranks get the same bits") { equal_bits(over_hosts); }
TEST_CASE("reproducible is the left fold") { reproducible(over_hosts); }
TEST_CASE("scans keep the order") { scans(over_hosts); }
TEST_CASE("mistakes of the caller") { mistakes(over_hosts); }
TEST_CASE("counted bytes are those of the cost model") { counted_bytes(over_hosts); }

namespace {

int ranks() {
    int there = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &there);
    return there;
}
/// Ranks that the tests' one machine lets share a host.
int per_host() {
    auto const* const text = std::getenv("COLLECTIVES_RANKS_PER_HOST");
    return text == nullptr ? ranks() : std::atoi(text);
}

}  // namespace

TEST_CASE("every collective with any number of ranks, whole hosts or not") {
    over_hosts.run(ranks(), [](coll::communicator& comm) {
        arena<std::uint32_t> mine(comm, 20'019);
        for (auto const what : moving_collectives) {
            for (auto const algorithm : algorithms_and_automatic(comm.size())) {
                for (auto const count :
                     {std::size_t{0}, std::size_t{5}, std::size_t{331}, std::size_t{20'011}}) {
                    auto const p = static_cast<std::size_t>(comm.size());
                    setup s;
                    s.what = what;
                    s.how.algorithm = algorithm;
                    s.count =
                        what == coll::collective::all_to_all ? (count + p - 1) / p * p : count;
                    s.root = static_cast<int>(count % p);
                    run_cell(mine, comm, s, 2, sizeof(std::uint32_t));
                }
            }
        }
    });
}

TEST_CASE("automatic knows the hosts, and those of a split") {
    over_hosts.run(ranks(), [](coll::communicator& comm) {
        auto const whole = comm.size() % per_host() == 0;
        auto const several = comm.size() > per_host() && per_host() > 1;
        auto const said = comm.explain(1 << 20);
        auto const offered = [](coll::explanation const& e) {
            return std::any_of(e.predictions.begin(), e.predictions.end(),
                               [](coll::explanation::prediction const& p) {
                                   return p.algorithm.is<coll::hierarchical>();
                               });
        };
        expect(offered(said) == (whole && several), said.why);
        auto const excused = said.why.find("not hierarchical: hosts have") != std::string::npos;
        expect(excused == (!whole && several), said.why);
        auto host = comm.split(comm.rank() / per_host());
        expect(!offered(host.explain(1 << 20)), "a host by itself");
    });
}

TEST_CASE("MPI carries what goes to other hosts, and nothing else") {
    if (ranks() % per_host() != 0) { return; }
    auto flat = communicator_of(MPI_COMM_WORLD);
    coll::counted carried;
    auto counted = flat.with(carried);
    auto comm = coll::bridge_hosts(counted);
    std::vector<std::int64_t> data(5'040, comm.rank());
    auto const sent = [&](auto&& call) {
        carried.reset();
        call();
        return carried.sent();
    };
    auto const own = coll::hierarchical{per_host()};
    auto const n = data.size() * 8;
    auto const hosts = static_cast<std::size_t>(ranks() / per_host());
    auto const part = n / static_cast<std::size_t>(ranks());  // of n / per host, one of each host's
    CHECK(sent([&] { comm.all_reduce(data, coll::sum{}, {.algorithm = own}); }) ==
          2 * part * (hosts - 1));
    CHECK(data[77] == comm.size() * (comm.size() - 1) / 2);
    auto host = comm.split(comm.rank() / per_host());
    CHECK(sent([&] { host.all_reduce(data); }) == 0);
    CHECK(sent([&] { comm.all_reduce(data, coll::sum{}, {.algorithm = coll::one_shot{}}); }) ==
          static_cast<std::size_t>(ranks() - per_host()) * n);
}

TEST_CASE("a caller's choice of ranks per host must fit") {
    over_hosts.run(ranks(), [](coll::communicator& comm) {
        std::vector<int> data(10);
        auto const why = expect_throw<coll::usage_error>(
            [&] {
                comm.all_reduce(data, coll::sum{},
                                {.algorithm = coll::hierarchical{comm.size() + 1}});
            },
            "too many");
        expect(why.find(" is not for ") != std::string::npos, why);
        comm.barrier();
    });
}

}  // namespace conformance

int main(int argc, char** argv) { return conformance::run_launched(argc, argv); }
