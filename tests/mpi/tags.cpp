// SPDX-License-Identifier: BSD-3-Clause
// tags RANKS: messages find their receives where MPI has few tags. The program states how many:
// MPI itself has mostly so many that a wrong match would take long to show.
#include <mpi/world.hpp>

#include <conformance/linear.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace coll = collectives;
using namespace std::chrono_literals;

namespace {

int last_tag = 0;

}  // namespace

extern "C" int MPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* found) {
    if (key != MPI_TAG_UB) { return PMPI_Comm_get_attr(comm, key, value, found); }
    *static_cast<int**>(value) = &last_tag;
    *found = 1;
    return MPI_SUCCESS;
}

namespace {

coll::communicator communicator_with(int tags) {
    last_tag = tags - 1;
    return conformance::communicator_of(MPI_COMM_WORLD);
}

/// Rank 0 sends under all tags; the last rank receives from the last to the first.
void receive_backwards(coll::communicator& comm, int tags) {
    auto const last = comm.size() - 1;
    if (comm.rank() == 0) {
        for (int tag = 0; tag < tags; ++tag) { comm.send(std::vector{tag, -tag}, last, tag); }
    }
    for (int tag = tags; comm.rank() == last && tag-- > 0;) {
        std::vector<int> came(2);
        comm.recv(came, 0, tag);
        REQUIRE(came == std::vector{tag, -tag});
    }
}

}  // namespace

TEST_CASE("messages of many tags do not take each other's place") {
    auto comm = communicator_with(32'768);  // the fewest that an MPI may have
    receive_backwards(comm, 2'000);
    auto other = comm.split(0);
    receive_backwards(other, 2'000);
    receive_backwards(comm, 2'000);  // known by now
}

TEST_CASE("receives that wait for many tags are served in their order") {
    auto comm = communicator_with(64);
    constexpr std::size_t tags = 10, each = 3, long_one = 5'000;
    std::vector<std::vector<int>> data(tags * each);
    std::vector<coll::pending> under_way;
    auto const length = [](std::size_t i) { return i % each == 1 ? long_one : std::size_t{1}; };
    if (comm.rank() == 1) {
        for (auto i = data.size(); i-- > 0;) {  // the receives are there, and unknown
            data[i].resize(length(i));
            auto const of_tag = static_cast<int>(i / each);
            if (i % each != 0) { continue; }
            for (std::size_t k = i; k < i + each; ++k) {
                under_way.push_back(comm.start_recv(data[k], 0, of_tag));
            }
        }
        for (auto& one : under_way) { CHECK_FALSE(one.test()); }
        comm.send(std::vector{1}, 0, 99);
        for (auto n = under_way.size(); n-- > 0;) { under_way[n].wait(); }
        for (std::size_t i = 0; i < data.size(); ++i) {
            CHECK(data[i] == std::vector<int>(length(i), static_cast<int>(i)));
        }
    } else if (comm.rank() == 0) {
        std::vector<int> go(1);
        comm.recv(go, 1, 99);
        for (std::size_t i = 0; i < data.size(); ++i) {
            data[i].assign(length(i), static_cast<int>(i));
            under_way.push_back(comm.start_send(data[i], 1, static_cast<int>(i / each)));
        }
        for (auto& one : under_way) { one.wait(); }
    }
}

TEST_CASE("segments of a collective do not take each other's place") {
    for (int const tags : {16, 32'768}) {
        auto comm = communicator_with(tags);
        for (int again = 0; again < 20; ++again) {
            std::vector<std::uint32_t> v(50'000);
            std::iota(v.begin(), v.end(), static_cast<std::uint32_t>(comm.rank() + again));
            comm.all_reduce(v, coll::sum{}, {.algorithm = coll::ring{}, .segment = 16'000});
            auto wrong = 0;
            auto const ranks = static_cast<std::uint32_t>(comm.size());
            for (std::uint32_t i = 0; i < v.size(); ++i) {
                auto const one = i + static_cast<std::uint32_t>(again);
                wrong += v[i] != ranks * one + ranks * (ranks - 1) / 2 ? 1 : 0;
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("who has used up all tags is told so") {
    auto comm = communicator_with(16);  // seven of them are for send and recv
    for (int tag = 0; tag < 7; ++tag) {
        std::vector v{tag};
        if (comm.rank() == 0) { comm.send(v, 1, tag); }
        if (comm.rank() == 1) { comm.recv(v, 0, tag); }
    }
    comm.barrier();
    auto const one_more = [&] {
        std::vector v{7};
        if (comm.rank() == 0) { comm.send(v, 1, 7); }
        if (comm.rank() != 0) { comm.recv(v, 0, 7, {.timeout = 10s}); }
    };
    CHECK_THROWS_WITH_AS(one_more(), doctest::Contains("no tag of MPI is left"),
                         coll::transport_error);
}

int main(int argc, char** argv) { return conformance::run_launched(argc, argv); }
