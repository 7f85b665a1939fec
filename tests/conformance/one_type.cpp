// SPDX-License-Identifier: BSD-3-Clause
// Communicators over different transports are of one type: they lie in one container, and an
// ordinary function takes them all.
#include <collectives/launch/hosts.hpp>
#include <collectives/transport/model.hpp>
#include <collectives/transport/threads.hpp>

#include <conformance/world.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace conformance {

namespace {

static_assert(std::is_same_v<coll::threads::communicator, coll::communicator>);
static_assert(std::is_same_v<coll::shm::communicator, coll::communicator>);
static_assert(std::is_nothrow_move_constructible_v<coll::communicator>);
static_assert(!std::is_copy_constructible_v<coll::communicator>);

/// Compiled once, whatever carries the ranks.
void step(coll::communicator& comm) {
    auto const size = comm.size();
    auto const sum = size * (size - 1) / 2;
    std::vector<int> v(3'000, comm.rank()), all(static_cast<std::size_t>(size));
    comm.all_reduce(v);
    expect(v.front() == sum && v.back() == sum, "a wrong sum");
    comm.all_gather(std::vector{comm.rank()}, all);
    expect(all.back() == size - 1, "a wrong block");
    auto shared = comm.allocate<int>(100);
    shared[99] = 1;
    auto pending = comm.start_all_reduce(shared);
    pending.wait();
    expect(shared[99] == size, "a wrong sum in reachable memory");
    std::vector<float> tensor(50, 1.0F);
    coll::fusion_buffer fusion(comm);
    (void)fusion.add(tensor, "tensor");
    fusion.flush();
    expect(tensor[49] == static_cast<float>(size), "a wrong fused sum");
    comm.barrier();
}

/// A rank's communicators over what `base` is over, by adaptors, and its groups.
std::vector<coll::communicator> all_from(coll::communicator& base, coll::counted const& counts,
                                         coll::traced const& trace) {
    std::vector<coll::communicator> all;
    all.push_back(base.split(0));
    all.push_back(base.split(base.rank() % 2, -base.rank()));
    all.push_back(base.with(counts));
    all.push_back(base.with(trace));
    all.push_back(base.with(coll::throttled{.bytes_per_second = 1e9}));
    all.push_back(all[2].split(0));  // still counted
    all.push_back(all[2].with(trace));
    return all;
}

void step_on_all(std::vector<coll::communicator>& all) {
    for (auto& comm : all) { step(comm); }
    std::swap(all.front(), all.back());
    for (auto& comm : all) { step(comm); }
    auto moved = std::move(all.back());
    all.pop_back();
    step(moved);
}

}  // namespace

TEST_CASE("communicators of processes, adapted, bridged, groups of them, and one of a thread") {
    for (int const size : sizes({1, 2, 4})) {
        CAPTURE(size);
        coll::shm::run(size, [](coll::communicator& base) {
            coll::counted counts;
            coll::traced trace;
            auto all = all_from(base, counts, trace);
            all.push_back(coll::bridge_hosts(base));
            coll::threads::job const alone(1);  // ranks of another kind, in the same container
            all.emplace_back(coll::erase(alone.rank(0)));
            step_on_all(all);
            expect((counts.messages() > 0) == (base.size() > 1), "counted");
            expect(trace.events().empty() == (base.size() == 1), "traced");
        });
    }
}

TEST_CASE("communicators of threads, adapted, and groups of them") {
    for (int const size : sizes({1, 3, 4})) {
        CAPTURE(size);
        coll::threads::run(size, [](coll::communicator& base) {
            coll::counted counts;
            coll::traced trace;
            auto all = all_from(base, counts, trace);
            step_on_all(all);
            expect((counts.sent() > 0) == (base.size() > 1), "counted");
        });
    }
}

TEST_CASE(
    "all ranks of threads in one container, and handles of adaptors that end before or after") {
    std::vector<coll::communicator> ranks;
    coll::threads::job const job(1);
    ranks.emplace_back(coll::erase(job.rank(0)));
    coll::counted counts;
    {
        coll::traced const trace;
        ranks.push_back(ranks.front().with(trace).with(counts));
    }
    for (auto& comm : ranks) { step(comm); }
    ranks.clear();
    CHECK(counts.messages() == 0);  // one rank sends nothing
}

}  // namespace conformance
