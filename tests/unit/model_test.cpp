// SPDX-License-Identifier: BSD-3-Clause
// Prices: as text, as measured, and what is chosen by them.
#include <collectives/collectives.hpp>
#include <collectives/core/error.hpp>
#include <collectives/select/cost_profile.hpp>
#include <collectives/select/model_text.hpp>
#include <collectives/select/selector.hpp>
#include <collectives/transport/adapted.hpp>
#include <collectives/tune.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace coll = collectives;

TEST_CASE("prices survive being written and read") {
    coll::machine_model m;
    m.call = 1.5e-7;
    m.byte = 3.25e-11;
    m.shared_round = 0;
    m.link_byte = 1e-10;
    auto const read = coll::detail::parse_model("# a comment\n\n" + coll::detail::to_text(m));
    CHECK(read.call == doctest::Approx(m.call));
    CHECK(read.byte == doctest::Approx(m.byte));
    CHECK(read.shared_round == 0);
    CHECK(read.link_byte == doctest::Approx(1e-10));
    CHECK(read.link_round == doctest::Approx(m.link_round));
    CHECK(read.reduced_byte == doctest::Approx(m.reduced_byte));
    CHECK(coll::detail::parse_model("round 2e-6").round == doctest::Approx(2e-6));
}

TEST_CASE("what is no price is refused, and named") {
    for (auto const* const text : {"round", "round fast", "round -1", "round 1e-6 s", "rounds 1"}) {
        CAPTURE(text);
        CHECK_THROWS_WITH_AS(coll::detail::parse_model(text), doctest::Contains("round"),
                             coll::usage_error);
    }
    using namespace std::string_literals;
    CHECK_THROWS_AS(coll::detail::parse_model("round 1e-6\0 s"s), coll::usage_error);
}

TEST_CASE("cheap rounds favour little traffic, dear ones few rounds") {
    coll::detail::selector choice;
    coll::detail::requirement const need{coll::collective::all_reduce, 16, 0, false, false};
    coll::machine_model m;
    m.round = m.message = 0;
    choice.use(m);
    auto const cost = choice.choose(need, 1 << 20).cost_of(16, 16 << 10);
    CHECK(cost.ratio.sent == 1);
    m.round = 1;
    choice.use(m);
    CHECK(choice.choose(need, 1 << 20).cost_of(16, 16 << 10).rounds == 1);
}

TEST_CASE("a root adds the vector of one other rank itself, and shares the additions with many") {
    coll::detail::selector choice;
    coll::detail::requirement const two{coll::collective::reduce, 2, 0, false, false};
    for (std::size_t bytes = 4; bytes <= 64 << 20; bytes *= 4) {
        CAPTURE(bytes);
        CHECK(choice.choose(two, bytes).cost_of(2, bytes, two.what).rounds == 1);
    }
    coll::detail::selector other;
    coll::detail::requirement const eight{coll::collective::reduce, 8, 0, false, false};
    auto const cost = other.choose(eight, 16 << 20).cost_of(8, 16 << 20, eight.what);
    CHECK(cost.ranks[0].reduced < 16 << 20);
}

TEST_CASE("a line that a rank adds to while a peer reads it costs one more move, in memory") {
    using coll::collective;
    auto const of = [](coll::any_algorithm a, int size) {
        return coll::detail::cost_profile::of(a, collective::all_reduce, size);
    };
    CHECK(of(coll::butterfly{}, 2).critical.contended == 1);
    CHECK(of(coll::butterfly{}, 8).critical.contended == 3);  // the whole vector in each round
    CHECK(of(coll::one_shot{}, 4).critical.contended == 1);
    CHECK(of(coll::one_shot{}, 4).total.contended == 4);
    for (coll::any_algorithm const a : {coll::any_algorithm(coll::ring{}),
                                        {coll::halving{}},
                                        {coll::two_shot{}},
                                        {coll::tree{}},
                                        {coll::star{}}}) {
        CAPTURE(coll::name(a));
        CHECK(of(a, 8).critical.contended == 0);
    }
    coll::machine_model m;
    auto const beyond = of(coll::butterfly{}, 2).seconds(m, 1000);
    m.in_memory = false;
    CHECK(beyond - of(coll::butterfly{}, 2).seconds(m, 1000) == doctest::Approx(1000 * m.byte));
}

TEST_CASE("two ranks halve from 16 KiB on in memory, and exchange up to 1 MiB by messages") {
    auto const rounds = [](coll::machine_model const& m, std::size_t bytes) {
        coll::detail::selector choice;
        choice.use(m);
        coll::detail::requirement const two{coll::collective::all_reduce, 2, 0, false, false};
        return choice.choose(two, bytes).cost_of(2, bytes).rounds;
    };
    CHECK(rounds({}, 4 << 10) == 1);
    CHECK(rounds({}, 16 << 10) == 2);
    CHECK(rounds({}, 64 << 10) == 2);
    auto sent = coll::machine_model::of_links();
    sent.in_memory = false;
    CHECK(rounds(sent, 64 << 10) == 1);
    CHECK(rounds(sent, 1 << 20) == 1);
    CHECK(rounds(sent, 4 << 20) == 2);
}

TEST_CASE("ranks that share processors pay for all that all of them do") {
    using coll::collective;
    auto const one = coll::detail::cost_profile::of(coll::one_shot{}, collective::all_reduce, 8);
    auto const two = coll::detail::cost_profile::of(coll::two_shot{}, collective::all_reduce, 8);
    CHECK(one.total.moved == doctest::Approx(8 * (1 + 7)));
    CHECK(one.total.reduced == doctest::Approx(8 * 7));
    CHECK(two.total.moved == doctest::Approx(8 * (1 + 2 * 7 / 8.0)));
    CHECK(two.total.reduced == doctest::Approx(7));
    coll::machine_model m;
    m.processors = 2;
    CHECK(one.seconds(m, 0) == doctest::Approx(4 * (m.shared_call + m.shared_round)));
    CHECK(two.seconds(m, 1 << 20) < one.seconds(m, 1 << 20));
    m.processors = 8;
    CHECK(one.seconds(m, 0) == doctest::Approx(m.call + m.round + 7 * m.message));
    m.small_byte = 1;  // of a rank's own vector, seven that come, seven that are added
    CHECK(one.seconds(m, 100) - one.seconds(m, 0) == doctest::Approx(15 * 100));
    CHECK(one.seconds(m, m.small + 1) < 1);
}

TEST_CASE("what goes between hosts is priced besides, for the busiest host and rank") {
    using coll::collective;
    coll::detail::host_layout const hosts({0, 0, 1, 1});
    auto const of = [&](coll::any_algorithm a) {
        return coll::detail::cost_profile::of(a, collective::all_reduce, 4, hosts);
    };
    auto const two = of(coll::two_shot{}), own = of(coll::hierarchical{2});
    CHECK(two.between.rounds == 2);
    CHECK(two.between.messages == 4);  // to two ranks elsewhere, twice
    CHECK(two.between.moved == doctest::Approx(2));
    CHECK(own.between.rounds == 2);
    CHECK(own.between.messages == 2);
    CHECK(own.between.moved == doctest::Approx(1));
    coll::machine_model m;
    auto const flat = coll::detail::cost_profile::of(coll::two_shot{}, collective::all_reduce, 4);
    CHECK(flat.between.rounds == 0);
    CHECK(two.seconds(m, 1000) - flat.seconds(m, 1000) ==
          doctest::Approx(2 * m.link_round + 4 * m.link_message + 2000 * m.link_byte));
}

TEST_CASE("an adaptor keeps the prices, but its ranks do not read each other's memory") {
    struct adaptor : coll::adapted {
        using adapted::adapted;
    };
    coll::threads::run(2, [&](coll::communicator& comm) {
        auto adapted = comm.with([](std::shared_ptr<coll::any_transport> t) {
            return std::make_shared<adaptor>(std::move(t));
        });
        if (!comm.model().in_memory || adapted.model().in_memory ||
            adapted.model().round != comm.model().round) {
            throw std::runtime_error("other prices");
        }
    });
}

TEST_CASE("tune measures the same prices on all ranks, in little time, and choices follow them") {
    coll::threads::run(3, [](auto& comm) {
        auto const start = coll::steady::now();
        auto const m = coll::tune(comm);
        auto const time = coll::steady::now() - start;
        std::array const mine{m.call,       m.round,       m.byte,        m.reduced_byte,
                              m.small_byte, m.shared_call, m.shared_round};
        std::vector<double> all(3 * mine.size());
        comm.all_gather(mine, all);
        auto row = comm.split(0);
        auto const expect = [](bool fine, char const* what) {
            if (!fine) { throw std::runtime_error(what); }
        };
        for (std::size_t i = 0; i < mine.size(); ++i) {
            expect(mine[i] >= 0, "a price below zero");
            expect(all[i] == mine[i], "prices differ");
        }
        expect(m.byte > 0 && m.reduced_byte > 0 && m.small_byte > 0, "bytes cost something");
        expect(time < std::chrono::seconds(5), "it takes milliseconds on an idle machine");
        expect(row.model().byte == m.byte, "split hands prices on");
        coll::machine_model other = m;
        other.round = other.shared_round = 1;
        comm.use(other);
        float x = 1;
        comm.all_reduce(std::span(&x, 1));
        expect(x == 3, "still a sum");
        auto const said = comm.explain(1 << 20);
        expect(said.algorithm.cost_of(3, 3).rounds == 1, "rounds are dear now");
    });
}
