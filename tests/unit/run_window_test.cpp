// SPDX-License-Identifier: BSD-3-Clause
// Which runs in memory may begin, and for how long memory that peers read is left alone: no run
// more, and none fewer.
#include <collectives/run/run_window.hpp>
#include <collectives/transport/model.hpp>
#include <collectives/transport/shared/heap_memory.hpp>
#include <collectives/transport/threads.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace coll = collectives;
namespace plans = coll::plans;
namespace shared = coll::shared;

namespace {

constexpr std::uint64_t own_runs = plans::runs_at_once, all_runs = plans::channels;

/// The runs of rank 0, and a peer that leaves runs when it is told to.
struct runs_of_two {
    shared::heap_memory memory;
    std::byte* place = static_cast<std::byte*>(memory.allocate(shared::board::bytes(2)));
    shared::board board = created(place);
    coll::threads::job job{1};
    std::shared_ptr<coll::any_transport> carrier = coll::erase(job.rank(0));
    coll::detail::scratch_pool pool{carrier};
    std::size_t staged = 0;
    coll::detail::run_window runs;

    runs_of_two() { runs.start(board, pool, 0, staged); }
    ~runs_of_two() { memory.deallocate(place, shared::board::bytes(2)); }

    static shared::board created(std::byte* place) {
        shared::board::create(place, 2);
        return {{}, place, {0, 1}, 0};
    }
    void peer_comes_to(std::uint64_t run, plans::point at) {
        board.channel(1, run).counter.store(coll::detail::channel_counter(run, at));
    }
    /// Runs that begin, each left at once, until one may not, or too many have; returns the next.
    std::uint64_t go_on(std::uint64_t run, bool all_came) {
        for (; run < 1000 && runs.may_begin(run); ++run) {
            runs.begin(run);
            runs.leave(run, all_came);
        }
        return run;
    }
};

}  // namespace

TEST_CASE("runs begin in order, each once this rank has left the one four before") {
    runs_of_two all;
    auto& runs = all.runs;
    CHECK(runs.reserve(3) == 1);
    CHECK(runs.reserve(1) == 4);
    for (std::uint64_t run = 1; run <= own_runs; ++run) {
        CHECK_FALSE(runs.may_begin(run + 1));
        REQUIRE(runs.may_begin(run));
        runs.begin(run);
        CHECK_FALSE(runs.may_begin(run));
    }
    CHECK_FALSE(runs.may_begin(own_runs + 1));
    runs.leave(2, true);  // a later one does not count
    CHECK_FALSE(runs.may_begin(own_runs + 1));
    runs.leave(1, true);
    REQUIRE(runs.may_begin(own_runs + 1));
    runs.begin(own_runs + 1);
    CHECK(runs.may_begin(own_runs + 2));
}

TEST_CASE("a run begins once all peers have left the one eight before") {
    runs_of_two all;
    auto next = all.go_on(1, false);
    CHECK(next == all_runs + 1);
    for (std::uint64_t left = 1; left < 3 * all_runs; ++left) {
        CAPTURE(left);
        all.peer_comes_to(left, plans::left - 1);
        CHECK_FALSE(all.runs.may_begin(next));
        all.peer_comes_to(left, plans::left);
        next = all.go_on(next, false);
        CHECK(next == left + all_runs + 1);
    }
}

TEST_CASE("peers that have come to the run four before have left the one eight before") {
    runs_of_two all;
    REQUIRE(all.go_on(1, false) == all_runs + 1);
    auto const seen = all_runs + 1 - own_runs;
    all.runs.leave(seen - 1, true);
    CHECK_FALSE(all.runs.may_begin(all_runs + 1));
    all.runs.leave(seen, true);
    CHECK(all.runs.may_begin(all_runs + 1));
    all.runs.leave(seen - 1, true);  // runs may end in another order
    CHECK(all.runs.may_begin(all_runs + 1));
}

TEST_CASE("kept scratch goes back to the pool when its channel is used again, not sooner") {
    runs_of_two all;
    auto const kept = all.pool.take(4096);
    REQUIRE(all.go_on(1, false) == all_runs + 1);
    all.runs.keep(1, kept);
    for (std::uint64_t run = 1; run < all_runs; ++run) { all.peer_comes_to(run, plans::left); }
    auto const other = all.pool.take(4096);
    CHECK(other.data != kept.data);
    all.runs.begin(all_runs + 1);
    auto const again = all.pool.take(4096);
    CHECK(again.data == kept.data);

    // At the end what peers have left goes back too. They may still read the rest.
    all.runs.keep(2, again);
    all.runs.keep(all_runs, other);
    auto const left = all.runs.take_kept();
    REQUIRE(left.size() == 1);
    CHECK(left[0].data == other.data);
    CHECK(all.pool.take(4096).data == again.data);
    for (auto const& b : {again, other}) { all.pool.give_back(b); }
}

TEST_CASE("a piece of the ring is left alone until peers have left its run") {
    runs_of_two all;
    auto const bytes = all.runs.largest_piece(*all.carrier);
    if (bytes == 0) {
        MESSAGE("not run: the caches of this machine do not suit a ring");
        return;
    }
    // The run that takes the first piece again has seen peers leave that one's run.
    auto* const first = all.runs.take(bytes);
    for (int piece = 1; piece < plans::ring_pieces; ++piece) {
        CHECK(all.runs.take(bytes) == first + static_cast<std::size_t>(piece) * bytes);
    }
    CHECK(all.runs.take(bytes) == first);
    auto const ring = all.runs.take_kept();
    REQUIRE(ring.size() == 1);
    CHECK(ring[0].data == first);
    CHECK(all.staged == 0);
    all.pool.give_back(ring[0]);
}
