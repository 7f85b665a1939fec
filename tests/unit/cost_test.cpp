// SPDX-License-Identifier: BSD-3-Clause
// What is counted from the steps equals the closed formulas, those of each algorithm's header too.
#include <collectives/algorithm/all.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace coll = collectives;
using coll::collective;

namespace {

using units = std::size_t;

/// P ranks, n bytes; L = ceil(log2 P), l = floor(log2 P), q = 2^l, r = P - q, x = r > 0.
struct setting {
    units P, n, L, l, q, r, x;

    setting(int size, units count)
        : P(static_cast<units>(size)),
          n(count),
          L(static_cast<units>(coll::ceil_log2(size))),
          l(static_cast<units>(coll::floor_log2(size))),
          q(units{1} << l),
          r(P - q),
          x(r > 0 ? 1 : 0) {}

    units chunk(units parts, units i) const {
        return coll::block(n, static_cast<int>(parts), static_cast<int>(i % parts)).size;
    }
};

struct formula {
    units rounds, sent, reduced, total, critical_bytes, critical_reduced;
};

void check_formula(coll::any_algorithm a, setting const& s, formula const& f) {
    auto const c = a.cost_of(static_cast<int>(s.P), s.n);
    INFO(a.name() << " P=" << s.P << " n=" << s.n);
    CHECK(static_cast<units>(c.rounds) == f.rounds);
    CHECK(c.busiest.sent == f.sent);
    CHECK(c.busiest.reduced == f.reduced);
    CHECK(c.total == f.total);
    CHECK(c.critical.bytes == f.critical_bytes);
    CHECK(c.critical.reduced == f.critical_reduced);
}

std::vector<int> sizes() {
    std::vector<int> result;
    for (int p = 1; p <= 64; ++p) { result.push_back(p); }
    result.insert(result.end(), {100, 127, 128});
    return result;
}

/// Counts that no rank number above divides, and counts below P.
constexpr units odd_counts[] = {0, 1, 5, 1009, 1000003};

/// Runs over the sizes with a count that P and q divide, then with odd counts.
void for_divisible(auto&& visit) {
    for (int const p : sizes()) { visit(setting(p, 12 * static_cast<units>(p) * setting(p, 0).q)); }
}
void for_any(auto&& visit) {
    for_divisible(visit);
    for (int const p : sizes()) {
        for (units const n : odd_counts) { visit(setting(p, n)); }
    }
}

/// The formula of every algorithm that is optimal in volume, if P divides n.
formula optimal(setting const& s, units rounds) {
    units const share = s.n / s.P * (s.P - 1);
    return {rounds, 2 * share, share, 2 * (s.P - 1) * s.n, 2 * share, share};
}

}  // namespace

TEST_CASE("star") {
    for_any([](setting const& s) {
        units const k = s.P - 1;
        check_formula(coll::star{}, s,
                      {2 * k, k * s.n, k * s.n, 2 * k * s.n, 2 * k * s.n, k * s.n});
    });
}

TEST_CASE("tree") {
    for_any([](setting const& s) {
        check_formula(
            coll::tree{}, s,
            {2 * s.L, s.L * s.n, s.L * s.n, 2 * (s.P - 1) * s.n, 2 * s.L * s.n, s.L * s.n});
    });
}

TEST_CASE("butterfly") {
    for_any([](setting const& s) {
        units const most = (s.l + s.x) * s.n;
        check_formula(
            coll::butterfly{}, s,
            {s.l + 2 * s.x, most, most, (s.q * s.l + 2 * s.r) * s.n, (s.l + 2 * s.x) * s.n, most});
    });
}

TEST_CASE("halving") {
    for_divisible([](setting const& s) {
        units const share = s.n / s.q * (s.q - 1);
        check_formula(
            coll::halving{}, s,
            {2 * s.l + 2 * s.x, 2 * share + s.x * s.n, share + s.x * s.n,
             2 * (s.q - 1) * s.n + 2 * s.r * s.n, 2 * share + 2 * s.x * s.n, share + s.x * s.n});
    });
}

TEST_CASE("ring") {
    for_divisible(
        [](setting const& s) { check_formula(coll::ring{}, s, optimal(s, 2 * (s.P - 1))); });
    // Rank i never sends chunk i while adding, nor chunk i + 1 while spreading.
    for_any([](setting const& s) {
        if (s.P == 1) { return; }
        formula f{2 * (s.P - 1),
                  0,
                  0,
                  2 * (s.P - 1) * s.n,
                  2 * (s.P - 1) * s.chunk(s.P, 0),
                  (s.P - 1) * s.chunk(s.P, 0)};
        for (units i = 0; i < s.P; ++i) {
            f.sent = std::max(f.sent, 2 * s.n - s.chunk(s.P, i) - s.chunk(s.P, i + 1));
            f.reduced = std::max(f.reduced, s.n - s.chunk(s.P, i));
        }
        check_formula(coll::ring{}, s, f);
    });
}

TEST_CASE("circulant") {
    for_divisible(
        [](setting const& s) { check_formula(coll::circulant{}, s, optimal(s, 2 * s.L)); });
}

TEST_CASE("one_shot") {
    for_any([](setting const& s) {
        units const most = (s.P - 1) * s.n;
        check_formula(coll::one_shot{}, s, {s.P > 1 ? 1U : 0U, most, most, s.P * most, most, most});
    });
}

TEST_CASE("two_shot") {
    for_divisible(
        [](setting const& s) { check_formula(coll::two_shot{}, s, optimal(s, s.P > 1 ? 2 : 0)); });
    // Rank i sends all but chunk i, then chunk i to everybody; chunk 0 is a longest one.
    for_any([](setting const& s) {
        if (s.P == 1) { return; }
        units const longest = s.chunk(s.P, 0);
        units const shortest = s.chunk(s.P, s.P - 1);
        units const busiest = std::max((s.P - 1) * longest, s.n - shortest);
        check_formula(coll::two_shot{}, s,
                      {2, s.n + (s.P - 2) * longest, (s.P - 1) * longest, 2 * (s.P - 1) * s.n,
                       2 * busiest, (s.P - 1) * longest});
    });
}

TEST_CASE("mixed_radix") {
    for_divisible([](setting const& s) {
        units factors = 0;
        units rest = s.P;
        for (units f = 2; rest > 1; ++f) {
            for (; rest % f == 0; rest /= f) { ++factors; }
        }
        check_formula(coll::mixed_radix{}, s, optimal(s, 2 * factors));
    });
}

TEST_CASE("where P does not divide n: what is received was sent, and chunks differ by one byte") {
    for (int const p : sizes()) {
        for (units const n : odd_counts) {
            setting const s(p, n);
            for (coll::any_algorithm const a :
                 {coll::any_algorithm(coll::halving{}), coll::any_algorithm(coll::circulant{}),
                  coll::any_algorithm(coll::mixed_radix{})}) {
                INFO(a.name() << " P=" << p << " n=" << n);
                auto const c = a.cost_of(p, n);
                units sent = 0;
                units received = 0;
                units reduced = 0;
                for (auto const& t : c.ranks) {
                    sent += t.sent;
                    received += t.received;
                    reduced += t.reduced;
                }
                CHECK(sent == received);
                CHECK(sent == c.total);
                CHECK(c.total == 2 * (s.P - 1) * n);
                CHECK(reduced == (s.P - 1) * n);
                // Cut into chunks one byte longer than n / P, the formula is an upper bound.
                units const chunks = a.name() == "halving" ? s.q : s.P;
                units const whole = (n + chunks - 1) / chunks * chunks;
                auto const upper = a.cost_of(p, whole);
                CHECK(c.rounds == upper.rounds);
                CHECK(c.busiest.sent <= upper.busiest.sent);
                CHECK(c.busiest.reduced <= upper.busiest.reduced);
                CHECK(c.critical.bytes <= upper.critical.bytes);
                CHECK(c.busiest.sent >= c.bound.sent);
                CHECK(c.busiest.reduced >= c.bound.reduced);
            }
        }
    }
}

TEST_CASE("ratios to the bounds, as published for 8, 12 and 100 ranks") {
    struct row {
        coll::any_algorithm a;
        int size;
        double rounds, bytes_ratio, reduced;
    };
    for (row const& r :
         {row{coll::star{}, 8, 4.67, 8, 8}, row{coll::tree{}, 8, 2, 3.43, 3.43},
          row{coll::butterfly{}, 8, 1, 1.71, 3.43}, row{coll::ring{}, 8, 4.67, 1, 1},
          row{coll::circulant{}, 8, 2, 1, 1}, row{coll::butterfly{}, 12, 1.25, 2.73, 4.36},
          row{coll::halving{}, 12, 2, 2.05, 2.05}, row{coll::ring{}, 12, 5.5, 1, 1},
          row{coll::circulant{}, 12, 2, 1, 1}, row{coll::halving{}, 100, 2, 2, 2},
          row{coll::circulant{}, 100, 2, 1, 1}, row{coll::ring{}, 100, 28.3, 1, 1}}) {
        auto const c = r.a.cost_of(r.size, 24U * 64U * 100U);
        INFO(r.a.name() << " P=" << r.size);
        auto const of = [](units a, units b) {
            return static_cast<double>(a) / static_cast<double>(b);
        };
        CHECK(c.ratio.rounds == doctest::Approx(r.rounds).epsilon(0.005));
        CHECK(of(c.critical.bytes, c.bound.sent) == doctest::Approx(r.bytes_ratio).epsilon(0.01));
        CHECK(c.ratio.reduced == doctest::Approx(r.reduced).epsilon(0.01));
        CHECK(c.ratio.sent == doctest::Approx(of(c.busiest.sent, c.bound.sent)));
    }
}

TEST_CASE("the bounds of each collective") {
    auto const bound = [](collective what) {
        return coll::cost_of(coll::ring{}, 6, 600, what).bound;
    };
    CHECK(bound(collective::all_reduce).rounds == 3);
    CHECK(bound(collective::all_reduce).sent == 1000);
    CHECK(bound(collective::all_reduce).reduced == 500);
    CHECK(bound(collective::reduce_scatter).sent == 500);
    CHECK(bound(collective::reduce_scatter).reduced == 500);
    CHECK(bound(collective::all_gather).sent == 500);
    CHECK(bound(collective::all_gather).reduced == 0);
    CHECK(bound(collective::broadcast).sent == 600);
    CHECK(bound(collective::reduce).sent == 600);
    CHECK(bound(collective::reduce).reduced == 500);
    CHECK(bound(collective::gather).sent == 100);
    CHECK(bound(collective::scatter).sent == 500);
    CHECK(bound(collective::all_to_all).sent == 500);
    // Rounded up: a rank sends whole bytes.
    CHECK(coll::cost_of(coll::ring{}, 6, 601).bound.sent == 1002);
    CHECK(coll::cost_of(coll::ring{}, 6, 601).bound.reduced == 501);
    // The root of a scatter keeps its own block, which may be the longest.
    auto const scattered = coll::cost_of(coll::star{}, 6, 601, collective::scatter);
    CHECK(scattered.bound.sent == 500);
    CHECK(scattered.busiest.sent == 500);
}

TEST_CASE("no algorithm sends less than the bound") {
    for (auto const a : coll::all_algorithms) {
        for (auto const what : coll::scheduled_collectives) {
            for (int const p : {1, 2, 3, 7, 8, 12}) {
                auto const c = a.cost_of(p, 840, what, coll::is_rooted(what) ? p - 1 : 0);
                INFO(a.name() << " " << name(what) << " P=" << p);
                CHECK(c.busiest.sent >= c.bound.sent);
                CHECK(c.busiest.reduced >= c.bound.reduced);
                CHECK(c.ranks.size() == static_cast<units>(p));
            }
        }
    }
}

TEST_CASE("one rank costs nothing, and is no worse than the best") {
    auto const c = coll::cost_of(coll::ring{}, 1, 100);
    CHECK(c.rounds == 0);
    CHECK(c.total == 0);
    CHECK(c.ratio.rounds == 1);
    CHECK(c.ratio.sent == 1);
    CHECK(c.ratio.reduced == 1);
}

TEST_CASE("cost is a constant expression, and the same for recorded schedules") {
    static_assert(coll::cost_of(coll::ring{}, 8, 800).busiest.sent == 1400);
    auto const all = coll::record_all(coll::halving{}, collective::reduce_scatter, 12);
    auto const recorded = coll::cost_of(all, 1000);
    auto const direct = coll::cost_of(coll::halving{}, 12, 1000, collective::reduce_scatter);
    CHECK(recorded.rounds == direct.rounds);
    CHECK(recorded.ranks == direct.ranks);
    CHECK(recorded.critical.bytes == direct.critical.bytes);
}

TEST_CASE("counts beyond 2^32 do not overflow") {
    units const n = units{1} << 40;
    auto const c = coll::cost_of(coll::ring{}, 4, n);
    CHECK(c.busiest.sent == n / 2 * 3);
    CHECK(c.ratio.sent == 1);
}
