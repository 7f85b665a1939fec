// SPDX-License-Identifier: BSD-3-Clause
// Vectors of more than 2^31 elements, and how much memory the library takes for itself.
#include <collectives/transport/model.hpp>
#include <collectives/transport/shm.hpp>
#include <collectives/transport/threads.hpp>

#include <conformance/address_range.hpp>
#include <conformance/counting_transport.hpp>
#include <conformance/memory_files.hpp>
#include <conformance/world.hpp>

#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace conformance {

namespace {

constexpr std::size_t huge = (std::size_t{1} << 31) + 3;
using what = coll::collective;

/// Runs one rank of `size` after the other, each by itself, and holds the bytes it sent and was to
/// receive against the cost model. `call(comm, options)`.
void run_alone(coll::any_algorithm a, int size, what w, std::size_t bytes, int root,
               std::function<void(coll::communicator&, coll::options const&)> const& call) {
    auto const cost = a.cost_of(size, bytes, w, root);
    coll::threads::job const job(size);
    for (int r = 0; r < size; ++r) {
        auto const carrier = job.rank<counting_transport>(r);
        coll::communicator comm(coll::erase(carrier));
        call(comm, coll::options{.algorithm = a, .segment = 0});  // which is what is counted
        auto const& mine = cost.ranks[static_cast<std::size_t>(r)];
        CAPTURE(a.name());
        CAPTURE(coll::name(w));
        CAPTURE(size);
        CAPTURE(r);
        CHECK(carrier->sent() == mine.sent);
        CHECK(carrier->received() == mine.received);
    }
}

std::span<std::uint8_t> own_block(std::span<std::uint8_t> whole, int size, int rank) {
    auto const b = coll::block(whole.size(), size, rank);
    return whole.subspan(b.first, b.size);
}

}  // namespace

TEST_CASE("more than 2^31 elements: blocks") {
    for (auto const a : coll::all_algorithms) {
        for (int const size : {2, 3, 8}) {
            address_range const memory(huge), other(huge);
            auto const whole = memory.span();
            run_alone(a, size, what::all_gather, huge, 0,
                      [&](coll::communicator& comm, coll::options const& how) {
                          comm.all_gather(own_block(whole, size, comm.rank()), whole, how);
                      });
            if (size == 8) { continue; }  // ranks that pass blocks on make them contiguous
            std::vector<std::size_t> counts;
            for (int r = 0; r < size; ++r) { counts.push_back(coll::block(huge, size, r).size); }
            auto const part = [&](coll::communicator& comm, int root) {
                return comm.rank() == root
                           ? own_block(whole, size, root)
                           : other.span().first(own_block(whole, size, comm.rank()).size());
            };
            run_alone(a, size, what::scatter, huge, size - 1,
                      [&](coll::communicator& comm, coll::options const& how) {
                          comm.scatter(whole, part(comm, size - 1), counts, size - 1, how);
                      });
            run_alone(a, size, what::gather, huge, 0,
                      [&](coll::communicator& comm, coll::options const& how) {
                          comm.gather(part(comm, 0), whole, counts, 0, how);
                      });
        }
    }
}

TEST_CASE("more than 2^31 elements: one vector") {
    address_range const memory(huge);
    for (auto const a : coll::all_algorithms) {
        for (int const size : {2, 3, 8}) {
            run_alone(a, size, what::broadcast, huge, 1,
                      [&](coll::communicator& comm, coll::options const& how) {
                          comm.broadcast(memory.span(), 1, how);
                      });
        }
    }
}

TEST_CASE("more than 2^31 elements: reductions") {
    // Where two values meet and neither is sent at that moment, one is folded into the other as it
    // comes, which here it never does. Elsewhere they would all have to be there, and be added.
    for (auto const& [a, largest] :
         std::vector<std::pair<coll::any_algorithm, int>>{{coll::tree{}, 7},
                                                          {coll::halving{}, 7},
                                                          {coll::ring{}, 7},
                                                          {coll::circulant{}, 7},
                                                          {coll::mixed_radix{}, 8},
                                                          {coll::star{}, 2},
                                                          {coll::butterfly{}, 2},
                                                          {coll::one_shot{}, 2},
                                                          {coll::two_shot{}, 2}}) {
        for (int const size : {2, 4, largest}) {
            if (size > largest) { continue; }
            run_alone(a, size, what::all_reduce, huge, 0,
                      [](coll::communicator& comm, coll::options const& how) {
                          address_range const in(huge), out(huge);
                          comm.all_reduce(in.span(), out.span(), coll::bit_or{}, how);
                      });
        }
    }
}

TEST_CASE("more than 2^31 elements: exchanges") {
    constexpr int size = 8;
    address_range const in(huge);
    // A rank keeps little for itself, which is all that is copied.
    coll::threads::job const job(size);
    for (auto const a : coll::all_algorithms) {
        auto const carrier = job.rank<counting_transport>(3);
        coll::communicator comm(coll::erase(carrier));
        std::vector<std::size_t> sends(size, huge / size), recvs(size, 5);
        sends[3] = recvs[3] = 7;
        recvs[0] = huge;
        auto const sum = [](std::vector<std::size_t> const& v) {
            std::size_t s = 0;
            for (auto const n : v) { s += n; }
            return s;
        };
        sends[7] = huge - (sum(sends) - sends[7]);
        address_range const more(sum(recvs));
        comm.all_to_all(in.span(), more.span(), sends, recvs, {.algorithm = a});
        CHECK(carrier->sent() == huge - 7);
        CHECK(carrier->received() == sum(recvs) - 7);
    }
}

TEST_CASE("shared memory of a job") {
    for (int const size : {1, 2, 3, 8, 16, 64}) {
        auto const p = static_cast<std::size_t>(size);
        auto const allowed = p * (1 << 20) + p * (p - 1) / 2 * (16 << 10);
        CAPTURE(size);
        CHECK(coll::shared::state::bytes(size) + coll::shared::board::bytes(size) <= allowed);
        auto const before = memory_of_files();
        coll::shm::job const job(size);
        auto const taken = memory_of_files() - before;
        CHECK(taken > 0);
        CHECK(taken <= allowed);
    }
}

}  // namespace conformance
