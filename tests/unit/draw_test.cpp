// SPDX-License-Identifier: BSD-3-Clause
// Pictures of algorithms: their bytes, what they say of each collective, and what has no picture.
#include <collectives/schedule.hpp>
#include <collectives/schedule/drawing/pattern.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace coll = collectives;
using coll::collective, coll::rank_t, coll::step, coll::verb;

namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

int count(std::string_view text, std::string_view part) {
    int result = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) { ++result; }
    return result;
}

/// Rank 0 collects and sends on; if a rank is wrong, its step is another one.
template <step Wrong>
struct own {
    static constexpr std::string_view name = "own<&>";
    static constexpr int chunks(int) { return 1; }
    static constexpr void steps(rank_t me, int size, coll::step_sink auto&& emit) {
        for (int i = 1; i < size; ++i) {
            if (me == 0) {
                emit(step{0, verb::recv_reduce, i});
                emit(step{1, verb::send, i});
            } else if (me == i) {
                emit(step{0, verb::send, 0});
                emit(i == 1 ? Wrong : step{1, verb::recv_copy, 0});
            }
        }
    }
};
using right = own<step{1, verb::recv_copy, 0}>;

}  // namespace

TEST_CASE("the picture that coll_show draws, byte for byte") {
    std::ifstream file("docs/pictures/ring_4.svg");
    std::ostringstream text;
    text << file.rdbuf();
    CHECK(coll::draw(coll::ring{}, 4) == text.str());
}

TEST_CASE("a picture as text, of a collective with a root") {
    CHECK(coll::draw_text(coll::one_shot{}, 3, collective::broadcast, 2) ==
          R"(one_shot: broadcast over 3 ranks, root 2, 1 chunk, 1 round

Whose contributions each rank holds (0..2 is 0, 1 and 2; . is nothing).
= copied into in this round; in brackets: passed on, and not looked at again.

          vector
start
  rank 0  .
  rank 1  .
  rank 2  2
round 0: rank 2 -> ranks 0..1: the whole vector each, copied
  rank 0  2 =
  rank 1  2 =
  rank 2  2        -> rank 0, 1
)");
}

TEST_CASE("every algorithm and collective has a picture that says it is proved") {
    for (auto const a : coll::all_algorithms) {
        for (auto const what : coll::scheduled_collectives) {
            for (int const size : {1, 2, 5, 8, 17}) {
                auto const root = coll::is_rooted(what) ? size - 1 : 0;
                auto const svg = coll::draw(a, size, what, root);
                auto const title = coll::draw_text(a, size, what, root).substr(0, 12);
                INFO(a.name(), " ", coll::name(what), " ", size);
                CHECK(svg.starts_with("<svg "));
                CHECK(svg.ends_with("</svg>\n"));
                CHECK(count(svg, "<g>") == count(svg, "</g>"));
                CHECK(count(svg, "<text") == count(svg, "</text>"));
                CHECK(has(svg, "Proved correct."));
                CHECK(has(svg, ">" + title));
                CHECK(has(svg, ">start</text>"));
                CHECK(has(svg, coll::is_rooted(what) ? coll::text_of(", root ", root, "</")
                                                     : coll::text_of(" over ", size, " rank")));
            }
        }
    }
}

TEST_CASE("an algorithm of one's own, with a name that XML has to write otherwise") {
    auto const svg = coll::draw(right{}, 4);
    CHECK(has(svg, "own&lt;&amp;&gt;: all_reduce over 4 ranks"));
    for (auto const* const arrow : {"class=\"add\" marker-end", "class=\"copy\" marker-end"}) {
        CHECK(count(svg, arrow) == 3 + 1);  // the last is the legend's
    }
    CHECK(has(coll::draw_text(right{}, 4), "rank 0  0..3 +"));
    CHECK(coll::draw(coll::any_algorithm(right{}), 4) == svg);
}

TEST_CASE("a wrong algorithm is drawn where that can be, and says that it is wrong") {
    CHECK(has(coll::draw(own<step{1, verb::recv_reduce, 0}>{}, 3), "WRONG."));
    auto const says = [](coll::any_algorithm a, char const* what) {
        CHECK_THROWS_WITH_AS(coll::draw(a, 3), what, coll::error);
        CHECK_THROWS_WITH_AS(coll::draw_text(a, 3), what, coll::error);
    };
    says(own<step{2, verb::recv_copy, 2}>{},
         "rank 1 waits in round 2 for rank 2, which sends it nothing");
    says(own<step{1, verb::recv_copy, 3}>{},
         "rank 1 waits in round 1 for rank 3, but the ranks are 0 to 2");
    says(own<step{1, verb::send, 3}>{},
         "rank 1 sends in round 1 to rank 3, but the ranks are 0 to 2");
    says(own<step{1, verb::send, -1}>{},
         "rank 1 sends in round 1 to rank -1, but the ranks are 0 to 2");
    says(own<step{1, verb::send, 2}>{},
         "rank 0 sends in round 1 to rank 1, which does not receive it");
    says(own<step{-1, verb::recv_copy, 0}>{}, "rank 1 names a round -1");
    for (auto const a : {coll::any_algorithm(own<step{1, verb::send, 0, {-1, 1}}>{}),
                         coll::any_algorithm(own<step{1, verb::send, 0, {1, 1}}>{}),
                         coll::any_algorithm(own<step{1, verb::send, 0, {0, -1}}>{}),
                         coll::any_algorithm(own<step{1, verb::send, 0, {0, 2}}>{})}) {
        CHECK_THROWS_AS(coll::draw(a, 3), coll::error);
    }
}

TEST_CASE("recorded schedules have the picture of the algorithm that they were recorded from") {
    auto const recorded = [](coll::any_algorithm a, int size) {
        return a.record_all(collective::all_reduce, size, 0);
    };
    auto ranks = recorded(coll::ring{}, 4);
    CHECK(coll::draw(ranks, "ring") == coll::draw(coll::ring{}, 4));
    CHECK(coll::draw_text(ranks, "ring") == coll::draw_text(coll::ring{}, 4));
    for (auto& s : ranks) { s.rounds += 1; }
    CHECK(has(coll::draw_text(ranks, "slow"), "slow: all_reduce over 4 ranks, 4 chunks, 7 rounds"));
    CHECK(has(coll::draw_text(ranks, "slow"), "round 6: nothing moves"));
    for (auto& s : ranks) { s.rounds -= 2; }
    CHECK_THROWS_WITH_AS(coll::draw(ranks, "short"), "rank 0 names a round 5", coll::error);

    auto const refused = [](std::vector<coll::schedule> const& all, char const* what) {
        CHECK_THROWS_WITH_AS(coll::draw(all, "mine"), what, coll::usage_error);
        CHECK_THROWS_WITH_AS(coll::draw_text(all, "mine"), what, coll::usage_error);
    };
    refused({}, "a picture is of 1 to 1024 ranks, not of 0");
    auto fewer = recorded(coll::ring{}, 4);
    fewer.pop_back();
    auto const apart = "these schedules have no picture: the schedules do not belong together";
    refused(fewer, apart);
    auto others = recorded(coll::ring{}, 4);
    others[2] = recorded(coll::tree{}, 4)[2];
    refused(others, apart);
    for (auto& s : ranks) { s = {collective::all_reduce, 4, s.rank, 0, 4, -1, {}}; }
    refused(ranks, "a picture needs a number of rounds that is not negative");
}

TEST_CASE("what has no picture") {
    auto const refused = [](char const* what, auto... arguments) {
        CHECK_THROWS_WITH_AS(coll::draw(arguments...), what, coll::usage_error);
    };
    refused("a picture is of 1 to 1024 ranks, not of 0", coll::ring{}, 0);
    refused("a picture is of 1 to 1024 ranks, not of 1025", coll::ring{}, 1025);
    refused("root 4 is none of the 4 ranks", coll::tree{}, 4, collective::broadcast, 4);
    refused("root -1 is none of the 4 ranks", coll::tree{}, 4, collective::broadcast, -1);
    refused("there is no picture of send", coll::ring{}, 4, collective::send);
    refused("automatic has no picture: name an algorithm", coll::automatic{}, 4);
    refused("hierarchical:3 is not for 4 ranks", coll::hierarchical{3}, 4);
}

TEST_CASE("a table that is too large is shortened, and says how to have it whole") {
    auto const text = [](int size, coll::text_style style) {
        return coll::draw_text(coll::ring{}, size, collective::all_reduce, 0, style);
    };
    CHECK(has(text(4, {.width = 50}), "How many contributions"));
    CHECK(has(text(4, {.width = 50}), "do not fit into 50 columns: .width or .full shows them."));
    CHECK(has(text(4, {.width = 50, .full = true}), "Whose contributions"));
    CHECK(has(text(17, {}), "17 ranks x 17 chunks: a table too large to read"));
    CHECK(has(text(17, {}), "(.full shows it all)"));
    CHECK(has(text(17, {.full = true}), "rank 16"));
    CHECK_FALSE(has(text(4, {}), "\033"));
    CHECK(has(text(4, {.color = true}), "\033[1;33m0..3"));
}

TEST_CASE("patterns") {
    using coll::drawing::filled;
    CHECK(filled("{{{}}} {:.1f} {:.0f} {:.4g} {}", "a", 2.25, 1234.5, 1.0 / 3, 0.3) ==
          "{a} 2.2 1234 0.3333 0.3");
    CHECK(filled("{}{}{}", std::string("b"), std::size_t{7}, -1) == "b7-1");
    CHECK(filled("{} {:.4g} {:.4g}", 1.0, 2.0, 1.5e6) == "1 2 1.5e+06");
    CHECK(filled("}}").size() == 1);
    using coll::drawing::fields_of;
    CHECK(fields_of("{{{}}} {:.1f}{:.4g}") == 3);
    for (auto const* const none : {"}", "{", "{}}", "{{}", "a { b", "{:.12f}", "{:.f}", "{:.1e}",
                                   "{.1f}", "{0}", "{:.1f", "{:{}}"}) {
        INFO(none);
        CHECK(fields_of(none) == -1);
    }
}
