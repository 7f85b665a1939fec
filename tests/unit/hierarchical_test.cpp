// SPDX-License-Identifier: BSD-3-Clause
// hierarchical: proved for hosts of any number of ranks, and what its header says is counted.
#include <collectives/schedule.hpp>
#include <collectives/select/selector.hpp>
#include <collectives/collectives.hpp>
#include <collectives/core/error.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>
#include <collectives/select/hosts.hpp>
#include <collectives/select/selector.hpp>

#include <doctest/doctest.h>
#include <test_sampling.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace coll = collectives;
using coll::collective;
using coll::rank_t;
using coll::verb;

namespace {

using units = std::size_t;

/// All sizes up to 64, some beyond; with every number of ranks per host that divides them.
template <class Visit>
void for_hosts(Visit&& visit) {
    std::vector<int> sizes;
    for (int p = 1; p <= 64; ++p) { sizes.push_back(p); }
    sizes.insert(sizes.end(), {96, 128, 256});
    for (int const size : sampling::some_of(sizes)) {
        for (int h = 1; h <= size; ++h) {
            if (size % h == 0) { visit(size, h); }
        }
    }
}

int prime_factors(int n) {
    int result = 0;
    for (int f = 2; n > 1; ++f) {
        for (; n % f == 0; n /= f) { ++result; }
    }
    return result;
}

std::vector<rank_t> some_roots(collective what, int size, int per_host) {
    if (!coll::is_rooted(what)) { return {0}; }
    return {0, size - 1, std::min(per_host, size - 1), size / 2};
}

coll::detail::host_layout blocks(int size, int per_host) {
    std::vector<int> hosts;
    for (int r = 0; r < size; ++r) { hosts.push_back(r / per_host); }
    return coll::detail::host_layout(hosts);
}

}  // namespace

TEST_CASE("hierarchical is proved, and keeps the order of the ranks at every position") {
    for_hosts([](int size, int per_host) {
        coll::any_algorithm const a = coll::hierarchical{per_host};
        for (auto const what : coll::scheduled_collectives) {
            if (size > 64 && !coll::reduces(what)) { continue; }
            for (auto const root : some_roots(what, size, per_host)) {
                auto const p = a.check(size, what, root);
                INFO(name(a) << " " << name(what) << " P=" << size << " root " << root << ": "
                             << p.what << ", rank " << p.rank << " round " << p.round << " chunk "
                             << p.chunk);
                CHECK(p.ok);
                CHECK(p.order_preserving);
                CHECK(p.position_independent);
                CHECK(a.verdict(size, what, root) == p);
            }
        }
    });
}

TEST_CASE("sizes that are not whole hosts are refused") {
    for (int size = 1; size <= 40; ++size) {
        for (int h = -1; h <= 41; ++h) {
            bool const whole = h > 0 && size % h == 0;
            CHECK(coll::fits(coll::hierarchical{h}, size) == whole);
            if (!whole) {
                CHECK(coll::check(coll::hierarchical{h}, size).what ==
                      "the algorithm is not for so many ranks");
            }
        }
    }
    CHECK_FALSE(coll::fits(coll::hierarchical{}, 8));  // nobody has said how many
}

TEST_CASE("owners are ranks of the part's place in their hosts, each of one chunk") {
    for_hosts([](int size, int per_host) {
        if (size > 64) { return; }
        coll::hierarchical const a{per_host};
        std::vector<bool> seen(static_cast<units>(size));
        for (int c = 0; c < size; ++c) {
            auto const owner = a.owner(c, size);
            REQUIRE(owner >= 0);
            REQUIRE(owner < size);
            CHECK(owner % per_host == c / (size / per_host));
            CHECK_FALSE(seen[static_cast<units>(owner)]);
            seen[static_cast<units>(owner)] = true;
        }
    });
}

TEST_CASE("what the header says of rounds, bytes and additions is counted") {
    for_hosts([](int size, int per_host) {
        int const hosts = size / per_host;
        units const n = 12 * static_cast<units>(size);
        units const share = n - n / static_cast<units>(size);
        auto const c = coll::cost_of(coll::hierarchical{per_host}, size, n);
        INFO("P=" << size << " per host " << per_host);
        CHECK(c.rounds == 2 * prime_factors(hosts) + (per_host > 1 ? 2 : 0));
        for (auto const& t : c.ranks) {
            CHECK(t.sent == 2 * share);
            CHECK(t.reduced == share);
        }
        CHECK(c.total == 2 * static_cast<units>(size - 1) * n);
        CHECK(c.critical.bytes == 2 * share);
        CHECK(c.critical.reduced == share);
        CHECK(c.ratio.sent == 1);
        CHECK(c.ratio.reduced == 1);
    });
}

TEST_CASE("no rank sends more to other hosts than it must, and the outer rounds stay inside") {
    for_hosts([](int size, int per_host) {
        int const hosts = size / per_host;
        auto const all =
            coll::record_all(coll::hierarchical{per_host}, collective::all_reduce, size);
        for (auto const& own : all) {
            int sent = 0, alike = 0, messages_inside = 0;
            for (auto const& s : own.steps) {
                bool const inside = s.peer / per_host == own.rank / per_host;
                bool const outer = per_host > 1 && (s.round == 0 || s.round == own.rounds - 1);
                CHECK(inside == outer);
                if (s.what != verb::send) { continue; }
                messages_inside += inside ? 1 : 0;
                sent += inside ? 0 : s.chunks.count;
                alike += !inside && s.peer % per_host == own.rank % per_host ? s.chunks.count : 0;
            }
            CHECK(sent == 2 * (hosts - 1));  // of size = per_host * hosts chunks
            CHECK(alike == sent);
            CHECK(messages_inside == 2 * (per_host - 1));
        }
        auto const between = coll::detail::crossing_of(all, blocks(size, per_host));
        CHECK(between.rounds == (hosts > 1 ? 2 * prime_factors(hosts) : 0));
        CHECK(between.moved == doctest::Approx(2.0 * (hosts - 1) / hosts));
    });
}

TEST_CASE("what leaves the busiest host, as docs/algorithms.md has it") {
    struct row {
        coll::any_algorithm a;
        double moved_24, moved_64;
        int rounds_24, rounds_64;
    };
    for (row const& r :
         {row{coll::mixed_radix{}, 3.75, 1.75, 8, 6}, row{coll::ring{}, 1.917, 1.969, 46, 126},
          row{coll::halving{}, 6.625, 1.75, 10, 6}, row{coll::circulant{}, 5.5, 14.656, 10, 12},
          row{coll::two_shot{}, 5.25, 14, 2, 2}, row{coll::butterfly{}, 13, 24, 6, 3}}) {
        INFO(name(r.a));
        auto const of = [&](int size, int per_host) {
            return coll::detail::crossing_of(r.a.record_all(collective::all_reduce, size),
                                             blocks(size, per_host));
        };
        CHECK(of(24, 3).moved == doctest::Approx(r.moved_24).epsilon(0.001));
        CHECK(of(64, 8).moved == doctest::Approx(r.moved_64).epsilon(0.001));
        CHECK(of(24, 3).rounds == r.rounds_24);
        CHECK(of(64, 8).rounds == r.rounds_64);
    }
}

TEST_CASE("broadcast and reduce send each part once per host") {
    for (auto const& [size, per_host] : {std::pair{8, 2}, {12, 4}, {27, 3}, {64, 8}}) {
        int const hosts = size / per_host;
        for (auto const what : {collective::broadcast, collective::reduce}) {
            for (rank_t const root : {0, size - 1, size / 2}) {
                auto const all = coll::record_all(coll::hierarchical{per_host}, what, size, root);
                int crossing = 0;
                for (auto const& own : all) {
                    for (auto const& s : own.steps) {
                        if (s.what == verb::send && s.peer / per_host != own.rank / per_host) {
                            crossing += s.chunks.count;
                        }
                    }
                }
                CHECK(crossing == (hosts - 1) * size);  // chunks: a vector for each other host
                CHECK(all[0].rounds == 2 + coll::ceil_log2(hosts));
            }
        }
    }
}

TEST_CASE("hosts: alike and consecutive, or why not") {
    auto const of = [](std::vector<int> const& hosts) { return coll::detail::host_layout(hosts); };
    CHECK(coll::detail::host_layout().hosts() == 1);
    CHECK(coll::detail::host_layout().ranks_per_host() == 0);
    CHECK(of({7, 7, 7}).hosts() == 1);
    CHECK(of({7, 7, 7}).ranks_per_host() == 0);
    CHECK(of({7, 7, 3, 3}).ranks_per_host() == 2);
    CHECK(of({7, 7, 3, 3}).host(3) == 1);
    CHECK(of({7, 7, 3, 3}).disorder().empty());
    CHECK(of({0, 1, 2}).ranks_per_host() == 1);
    CHECK(of({0, 1, 0, 1}).ranks_per_host() == 0);
    CHECK(of({0, 1, 0, 1}).disorder() == "the ranks of a host are not consecutive");
    CHECK(of({0, 0, 1}).disorder() == "hosts have from 1 to 2 ranks");
}

TEST_CASE("automatic takes it where several ranks share each of several hosts, and it pays") {
    coll::detail::requirement const need{collective::all_reduce, 32, 0, false, false};
    coll::detail::selector flat, hosts, scattered;
    hosts.place(blocks(32, 8));
    std::vector<int> cyclic;
    for (int r = 0; r < 32; ++r) { cyclic.push_back(r % 4); }
    scattered.place(coll::detail::host_layout(cyclic));
    for (units const n : {units{1} << 16, units{1} << 20, units{1} << 26}) {
        CHECK(hosts.choose(need, n) == coll::hierarchical{8});
        CHECK_FALSE(flat.choose(need, n).is<coll::hierarchical>());
        CHECK_FALSE(scattered.choose(need, n).is<coll::hierarchical>());
    }
    auto const said = hosts.explain(need, 1 << 20);
    CHECK(said.why.find("32 ranks: hierarchical:8") != std::string::npos);
    CHECK(scattered.explain(need, 1 << 20)
              .why.find("not hierarchical: the ranks of a host are not consecutive") !=
          std::string::npos);
    // Links that cost nothing leave no reason for it but its few messages.
    coll::machine_model free;
    free.link_round = free.link_message = free.link_byte = 0;
    hosts.use(free);
    CHECK(hosts.explain(need, 1 << 20).predictions.front().seconds <
          said.predictions.front().seconds);
    // It brackets by hosts, which is no left fold.
    auto folds = need;
    folds.left_fold = true;
    CHECK_FALSE(hosts.choose(folds, 1 << 20).is<coll::hierarchical>());
    auto ordered = need;
    ordered.order = true;
    CHECK(hosts.suits(coll::hierarchical{8}, ordered));
}

TEST_CASE("an override names it with its parameter and a range") {
    auto const rules =
        coll::detail::parse_override("tree:0-4k,hierarchical:4:4k-1M,hierarchical:2");
    REQUIRE(rules.size() == 3);
    CHECK(rules[0].algorithm == coll::tree{});
    CHECK(rules[1].algorithm == coll::hierarchical{4});
    CHECK(rules[1].from == 4096);
    CHECK(rules[1].to == 1 << 20);
    CHECK(rules[2].algorithm == coll::hierarchical{2});
    CHECK(rules[2].from == 0);
    CHECK_THROWS_AS(coll::detail::parse_override("ring:4k"), coll::usage_error);
    CHECK_THROWS_AS(coll::detail::parse_override("hierarchical:4k-8k"), coll::usage_error);
}

TEST_CASE("named, it runs on any ranks that it fits, and is refused by others") {
    auto const check = [](bool fine, std::string const& what) {
        if (!fine) { throw std::runtime_error(what); }
    };
    coll::threads::run(6, [&](auto& comm) {
        std::vector<int> data(1000, comm.rank() + 1);
        comm.all_reduce(data, coll::sum{}, {.algorithm = coll::hierarchical{3}});
        check(data == std::vector<int>(1000, 21), "the sum");
        try {
            comm.all_reduce(data, coll::sum{}, {.algorithm = coll::hierarchical{4}});
            check(false, "4 do not divide 6");
        } catch (coll::usage_error const& e) {
            check(std::string(e.what()).find("hierarchical:4 is not for 6 ranks") !=
                      std::string::npos,
                  e.what());
        }
    });
}

TEST_CASE("ranks that name different numbers of ranks per host are told so") {
    auto const text = [&] {
        try {
            coll::threads::run(4, [](auto& comm) {
                std::vector<int> data(100'000);
                int const per_host = comm.rank() == 3 ? 4 : 2;
                comm.all_reduce(data, coll::sum{}, {.algorithm = coll::hierarchical{per_host}});
            });
        } catch (coll::mismatch_error const& e) { return std::string(e.what()); }
        return std::string("nothing was thrown");
    }();
    CHECK(text.find("hierarchical:2") != std::string::npos);
    CHECK(text.find("hierarchical:4") != std::string::npos);
    CHECK(text.find("algorithm") != std::string::npos);
}
