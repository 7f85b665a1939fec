// SPDX-License-Identifier: BSD-3-Clause
// Every collective from every family of algorithm, and how chunks become blocks.
#include <collectives/algorithm/all.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace coll = collectives;
using coll::collective;
using coll::rank_t;
using coll::step;
using coll::verb;

namespace {

/// Family (c) and nothing else: the chunk goes along the line of ranks and back.
struct line {
    static constexpr std::string_view name = "line";
    static constexpr int chunks(int) { return 1; }
    static constexpr void steps(rank_t me, int size, auto&& emit) {
        if (me > 0) { emit(step{me - 1, verb::recv_reduce, me - 1, {0}}); }
        if (me < size - 1) { emit(step{me, verb::send, me + 1, {0}}); }
        int const last = 2 * (size - 1);
        if (me < size - 1) { emit(step{last - 1 - me, verb::recv_copy, me + 1, {0}}); }
        if (me > 0) { emit(step{last - me, verb::send, me - 1, {0}}); }
    }
};

/// Family (a) with two chunks per rank and owners in reverse.
struct reversed {
    static constexpr std::string_view name = "reversed";
    static constexpr int chunks(int size) { return 2 * size; }
    static constexpr rank_t owner(int chunk, int size) { return size - 1 - chunk / 2; }
    static constexpr void reduce_scatter(rank_t me, int size, auto&& emit) {
        for (rank_t r = 0; r < size; ++r) {
            if (r != me) { emit(step{0, verb::send, r, {2 * (size - 1 - r), 2}}); }
        }
        for (rank_t r = 0; r < size; ++r) {
            if (r != me) { emit(step{0, verb::recv_reduce, r, {2 * (size - 1 - me), 2}}); }
        }
    }
    static constexpr void all_gather(rank_t me, int size, auto&& emit) {
        for (rank_t r = 0; r < size; ++r) {
            if (r != me) { emit(step{0, verb::send, r, {2 * (size - 1 - me), 2}}); }
        }
        for (rank_t r = 0; r < size; ++r) {
            if (r != me) { emit(step{0, verb::recv_copy, r, {2 * (size - 1 - r), 2}}); }
        }
    }
};

/// Family (b) with const member functions and nothing but the two it needs.
struct plain_star {
    static constexpr std::string_view name = "plain_star";
    static constexpr int chunks(int) { return 1; }
    constexpr void reduce(rank_t me, int size, rank_t root, auto&& emit) const {
        coll::star::reduce(me, size, root, emit);
    }
    constexpr void broadcast(rank_t me, int size, rank_t root, auto&& emit) const {
        coll::star::broadcast(me, size, root, emit);
    }
};

static_assert(coll::algorithm<line>);
static_assert(coll::algorithm<reversed>);
static_assert(coll::algorithm<plain_star>);
static_assert(!coll::algorithm<int>);
static_assert(!coll::algorithm<coll::automatic>);

int rounds(coll::any_algorithm a, collective what, int size, int root = 0) {
    return a.record(what, 0, size, root).rounds;
}

}  // namespace

TEST_CASE("each family alone gives every collective") {
    std::vector<coll::any_algorithm> const families{reversed{}, plain_star{}, line{}};
    for (auto const a : families) {
        for (int size = 1; size <= 19; ++size) {
            for (auto const what : coll::scheduled_collectives) {
                for (int root = 0; root < (coll::is_rooted(what) ? size : 1); ++root) {
                    auto const p = a.check(size, what, root);
                    INFO(a.name() << " " << name(what) << " P=" << size << " root " << root << ": "
                                  << p.what);
                    CHECK(p.ok);
                }
            }
        }
    }
}

TEST_CASE("chunk ranges become ranges of blocks") {
    using coll::detail::regrouped;
    // 7 blocks as 4 chunks: 2 2 2 1.
    CHECK(regrouped({0, 1}, 4, 7) == coll::chunk_range{0, 2});
    CHECK(regrouped({3, 1}, 4, 7) == coll::chunk_range{6, 1});
    CHECK(regrouped({1, 2}, 4, 7) == coll::chunk_range{2, 4});
    CHECK(regrouped({3, 2}, 4, 7) == coll::chunk_range{6, 3});  // around the end
    CHECK(regrouped({0, 4}, 4, 7) == coll::chunk_range{0, 7});
    CHECK(regrouped({2, 4}, 4, 7) == coll::chunk_range{4, 7});
    CHECK(regrouped({0, 1}, 1, 7) == coll::chunk_range{0, 7});
    // 3 blocks as 6 chunks: the last three are empty.
    CHECK(regrouped({2, 1}, 6, 3) == coll::chunk_range{2, 1});
    CHECK(regrouped({4, 2}, 6, 3).count == 0);
}

TEST_CASE("chunks: the algorithm's for vectors, one per rank for blocks") {
    CHECK(coll::detail::chunks_of(coll::halving{}, collective::all_reduce, 12) == 8);
    CHECK(coll::detail::chunks_of(coll::halving{}, collective::broadcast, 12) == 8);
    CHECK(coll::detail::chunks_of(coll::halving{}, collective::reduce, 12) == 8);
    CHECK(coll::detail::chunks_of(coll::halving{}, collective::reduce_scatter, 12) == 12);
    CHECK(coll::detail::chunks_of(coll::butterfly{}, collective::broadcast, 12) == 12);
    CHECK(coll::detail::chunks_of(coll::butterfly{}, collective::reduce, 12) == 1);
    CHECK(coll::detail::chunks_of(coll::tree{}, collective::broadcast, 12) == 1);
    CHECK(coll::detail::chunks_of(line{}, collective::broadcast, 12) == 1);
    CHECK(coll::detail::chunks_of(coll::ring{}, collective::barrier, 12) == 12);
    CHECK(coll::detail::chunks_of(coll::ring{}, collective::scan, 12) == 12);
    CHECK(coll::detail::chunks_of(coll::ring{}, collective::exscan, 12) == 11);
    CHECK(coll::detail::chunks_of(coll::ring{}, collective::exscan, 1) == 1);
    CHECK(coll::detail::chunks_of(coll::circulant{}, collective::scan, 12) == 1);
}

TEST_CASE("rounds of the other collectives") {
    CHECK(rounds(coll::star{}, collective::gather, 12) == 11);
    CHECK(rounds(coll::tree{}, collective::gather, 12) == 4);
    CHECK(rounds(coll::tree{}, collective::scatter, 12, 7) == 4);
    CHECK(rounds(coll::tree{}, collective::reduce, 12, 7) == 4);
    CHECK(rounds(coll::tree{}, collective::broadcast, 12, 7) == 4);
    CHECK(rounds(coll::tree{}, collective::all_gather, 12) == 8);
    CHECK(rounds(coll::tree{}, collective::reduce_scatter, 12) == 8);
    CHECK(rounds(coll::butterfly{}, collective::all_gather, 12) == 5);
    CHECK(rounds(coll::butterfly{}, collective::barrier, 16) == 4);
    CHECK(rounds(coll::butterfly{}, collective::all_to_all, 12) == 15);
    CHECK(rounds(coll::halving{}, collective::reduce_scatter, 16) == 5);  // one to reach the owners
    CHECK(rounds(coll::halving{}, collective::reduce_scatter, 2) == 1);   // owners are ranks there
    CHECK(rounds(coll::ring{}, collective::gather, 12, 5) == 11);
    CHECK(rounds(coll::ring{}, collective::scatter, 12, 5) == 11);
    CHECK(rounds(coll::ring{}, collective::all_to_all, 12) == 11);
    CHECK(rounds(coll::ring{}, collective::reduce_scatter, 12) == 11);
    CHECK(rounds(coll::circulant{}, collective::reduce_scatter, 12) == 4);
    CHECK(rounds(coll::circulant{}, collective::all_gather, 12) == 4);
    CHECK(rounds(coll::circulant{}, collective::broadcast, 12) == 5);
    for (auto const what : coll::scheduled_collectives) {
        // An exscan passes contributions on before it adds them up.
        CHECK(rounds(coll::one_shot{}, what, 12) == (what == collective::exscan ? 2 : 1));
    }
    CHECK(rounds(coll::ring{}, collective::scan, 12) == 22);
    CHECK(rounds(coll::ring{}, collective::exscan, 12) == 21);
    CHECK(rounds(coll::butterfly{}, collective::scan, 12) == 4);
    CHECK(rounds(coll::butterfly{}, collective::exscan, 12) == 5);
    CHECK(rounds(coll::tree{}, collective::scan, 12) == 6);
    CHECK(rounds(coll::tree{}, collective::scan, 16) == 7);
    CHECK(rounds(coll::two_shot{}, collective::reduce_scatter, 12) == 1);
    CHECK(rounds(coll::two_shot{}, collective::reduce, 12, 3) == 2);
}

TEST_CASE("butterfly's all-gather sends no more than it must if P is a power of two") {
    auto const c = coll::cost_of(coll::butterfly{}, 16, 1600, collective::all_gather);
    CHECK(c.ratio.rounds == 1);
    CHECK(c.ratio.sent == 1);
}

TEST_CASE("all ranks agree on the rounds, also those that have none of the last") {
    auto const all = coll::record_all(coll::tree{}, collective::all_reduce, 5);
    for (auto const& s : all) {
        CHECK(s.rounds == 6);
        CHECK(s == coll::record(coll::tree{}, collective::all_reduce, s.rank, 5));
    }
    // Rank 1 is done with the reduce after one round; its broadcast still begins with the others'.
    CHECK(all[1].steps.back().round == 5);
}

TEST_CASE("collectives without a schedule have no steps") {
    CHECK(coll::record(coll::ring{}, collective::split, 0, 4).steps.empty());
}
