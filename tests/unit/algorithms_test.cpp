// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm is proved for every collective and many sizes, and has the properties it claims.
#include <collectives/algorithm/all.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>

#include <doctest/doctest.h>
#include <test_sampling.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace coll = collectives;
using coll::collective;

namespace {

std::vector<int> sizes_to_check() {
    std::vector<int> result;
    for (int p = 1; p <= 64; ++p) { result.push_back(p); }
    for (int const p : {100, 127, 128, 255, 256}) { result.push_back(p); }
    return sampling::some_of(result);
}

/// Every root up to 16 ranks; beyond, those at the ends and on both sides of a power of two.
std::vector<int> roots(collective what, int size) {
    if (!coll::is_rooted(what)) { return {0}; }
    std::vector<int> result;
    if (size <= 16) {
        for (int r = 0; r < size; ++r) { result.push_back(r); }
        return result;
    }
    int const half = 1 << (coll::ceil_log2(size) - 1);
    return {0, half - 1, std::min(half, size - 1), size - 1};
}

/// Proves one algorithm everywhere and hands each proof to `look`.
template <class Look>
void prove(coll::any_algorithm a, Look look) {
    for (int const size : sizes_to_check()) {
        for (auto const what : coll::scheduled_collectives) {
            for (int const root : roots(what, size)) {
                auto const p = a.check(size, what, root);
                INFO(a.name() << " " << name(what) << " P=" << size << " root " << root << ": "
                              << p.what << ", rank " << p.rank << " round " << p.round << " chunk "
                              << p.chunk);
                CHECK(p.ok);
                CHECK(a.verdict(size, what, root) == p);
                look(what, size, p);
            }
        }
    }
}

/// The bracket of every sum keeps the rank order and is the same for every chunk.
void prove_ordered(coll::any_algorithm a, bool folds_from_the_left, bool has_own_scan = false) {
    prove(a, [&](collective what, int size, coll::proof const& p) {
        CHECK(p.order_preserving);
        CHECK(p.position_independent);
        bool const folds = is_prefix(what) ? !has_own_scan : folds_from_the_left;
        // The last rank's result has the most contributions.
        int const most = coll::reduced_ranks(what, size, size - 1);
        if (reduces(what) && most > 2) { CHECK(p.left_fold == folds); }
    });
}

/// Sums begin at another rank for each chunk, but those of a scan. With two ranks there is but one
/// sum.
void prove_rotating(coll::any_algorithm a, bool has_own_scan) {
    prove(a, [&](collective what, int size, coll::proof const& p) {
        bool const rotates = reduces(what) && !is_prefix(what) && size > 2;
        CHECK(p.order_preserving != rotates);
        CHECK(p.position_independent != rotates);
        if (rotates) { CHECK_FALSE(p.left_fold); }
        int const most = coll::reduced_ranks(what, size, size - 1);
        if (is_prefix(what) && most > 2) { CHECK(p.left_fold != has_own_scan); }
    });
}

}  // namespace

TEST_CASE("star is proved") { prove_ordered(coll::star{}, false); }
TEST_CASE("tree is proved") { prove_ordered(coll::tree{}, false, true); }
TEST_CASE("butterfly is proved") { prove_ordered(coll::butterfly{}, false, true); }
TEST_CASE("halving is proved") { prove_ordered(coll::halving{}, false); }
TEST_CASE("ring is proved") { prove_rotating(coll::ring{}, true); }
TEST_CASE("circulant is proved") { prove_rotating(coll::circulant{}, false); }
TEST_CASE("one_shot is proved, and folds from the left") { prove_ordered(coll::one_shot{}, true); }
TEST_CASE("two_shot is proved, and folds from the left") { prove_ordered(coll::two_shot{}, true); }

TEST_CASE("mixed_radix is proved, and folds from the left only where P is prime") {
    prove(coll::mixed_radix{}, [](collective what, int size, coll::proof const& p) {
        CHECK(p.order_preserving);
        CHECK(p.position_independent);
        bool prime = true;
        for (int f = 2; f * f <= size; ++f) { prime = prime && size % f != 0; }
        if (reduces(what)) { CHECK(p.left_fold == (prime || is_prefix(what))); }
    });
}

TEST_CASE("collectives that only move blocks have every property") {
    for (auto const a : coll::all_algorithms) {
        for (auto const what : coll::scheduled_collectives) {
            if (reduces(what)) { continue; }
            auto const p = a.check(13, what);
            CHECK(p.order_preserving);
            CHECK(p.position_independent);
            CHECK(p.left_fold);
        }
    }
}

TEST_CASE("every root of a larger tree keeps the rank order") {
    for (int root = 0; root < 61; ++root) {
        auto const p = coll::check(coll::tree{}, 61, collective::reduce, root);
        CHECK(p.ok);
        CHECK(p.order_preserving);
    }
}

TEST_CASE("owners are ranks, each of one chunk at most") {
    for (int size = 1; size <= 64; ++size) {
        auto const distinct = [&](auto a) {
            std::vector<bool> seen(static_cast<std::size_t>(size), false);
            for (int c = 0; c < a.chunks(size); ++c) {
                auto const owner = a.owner(c, size);
                REQUIRE(owner >= 0);
                REQUIRE(owner < size);
                CHECK_FALSE(seen[static_cast<std::size_t>(owner)]);
                seen[static_cast<std::size_t>(owner)] = true;
            }
        };
        distinct(coll::halving{});
        distinct(coll::mixed_radix{});
    }
}

TEST_CASE("no rank takes part in a round with one message twice, but for the direct algorithms") {
    for (auto const a : coll::all_algorithms) {
        bool const direct =
            a.name() == "one_shot" || a.name() == "two_shot" || a.name() == "mixed_radix";
        if (direct) { continue; }
        for (int size = 1; size <= 33; ++size) {
            for (auto const& s : a.record_all(collective::all_reduce, size)) {
                for (std::size_t i = 2; i < s.steps.size(); ++i) {
                    // One send and one receive a round: one port.
                    CHECK(s.steps[i].round > s.steps[i - 2].round);
                }
            }
        }
    }
}
