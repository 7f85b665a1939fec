// SPDX-License-Identifier: BSD-3-Clause
// How coll_plot reads, groups and compares results.
#include "chart.hpp"
#include "compare.hpp"
#include "scale.hpp"
#include "table.hpp"

#include "../insert_between.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <stdexcept>

using namespace coll_plot;
using tools::insert_between;

namespace {

struct measured {
    char const* transport = "shm";
    char const* algorithm = "automatic";
    int launch = 0;
    double bytes = 4;
    double median = 1;
    double copy = 0.5, trip = 0.1;
};

std::vector<csv_row> rows_of(std::vector<measured> const& all) {
    std::string text =
        "transport,collective,algorithm,type,op,ranks,cores,bytes,in_place,memory,cold,launch,"
        "median_us,copy_us,copy_past_cache_us,round_trip_us,cpu,date\n";
    for (auto const& m : all) {
        text += fmt::format(
            "{},all_reduce,{},float,sum,2,2,{},0,private,0,{},{},{},{},{},\"A, B\",d\n",
            m.transport, m.algorithm, m.bytes, m.launch, m.median, m.copy, 2 * m.copy, m.trip);
    }
    return parse_csv(text);
}

}  // namespace

TEST_CASE("reading CSV") {
    CHECK_THROWS_AS(parse_csv("a,b\n1\n"), std::runtime_error);
    CHECK_THROWS_AS(parse_csv("a\n\"1\n"), std::runtime_error);
    auto const good = parse_csv("a,b\n1.5,\"x, \"\"y\"\"\"\n2,");
    REQUIRE(good.size() == 2);
    CHECK(good[0].number("a") == 1.5);
    CHECK(good[0].text("b") == "x, \"y\"");
    CHECK(good[1].text("b").empty());
    CHECK(good[0].text("c").empty());
    CHECK(parse_csv("").empty());
}

TEST_CASE("rows become curves: ours, peers, limits") {
    auto const rows = rows_of({{"shm", "automatic", 0, 4, 1},
                               {"shm", "automatic", 1, 4, 3},
                               {"mpich", "its own", 0, 4, 9},
                               {"shm", "automatic", 0, 8192, 20, 5, 0.1}});
    auto const curves = curves_of(rows);
    REQUIRE(curves.size() == 4);
    CHECK(curves[0].name == "shm");
    CHECK(curves[0].seconds.at(4) == doctest::Approx(2e-6));
    CHECK(curves[1].name == "MPICH");
    CHECK(curves[2].seconds.at(4) == doctest::Approx(1e-7));
    CHECK(curves[3].seconds.at(8192) == doctest::Approx(5e-6));
    auto const svg = as_svg(curves, quantity::latency, "a < b", "c");
    CHECK(svg.find("a &lt; b") != svg.npos);
    CHECK(svg.find("MPICH") != svg.npos);
    CHECK_THROWS_AS(as_svg({}, quantity::latency, "", ""), std::runtime_error);
    CHECK(as_markdown(curves, {4}).find("| 4 B | **2.00 us** | 9.00 us |") != std::string::npos);
}

TEST_CASE("a picture says which curve lies under another, and which numbers of ranks it shows") {
    auto const has = [](std::string const& svg, char const* text) {
        return svg.find(text) != std::string::npos;
    };
    std::vector<series> curves{{"ring", kind::ours, {{2, 1.0}, {3, 2.0}, {8, 3.0}}},
                               {"tree", kind::ours, {{2, 1.0}, {3, 2.0}, {8, 3.0}}},
                               {"star", kind::ours, {{2, 1.0}, {3, 2.0}, {8, 3.3}}}};
    axis over;
    over.ranks = true, over.bytes = 1e6;
    auto const svg = as_svg(curves, quantity::bandwidth, "", "", over);
    CHECK(has(svg, ">lies under ring</text>"));
    CHECK(svg.find("lies under") == svg.rfind("lies under"));
    for (auto const* text :
         {">2</text>", ">3</text>", ">8</text>", ">MB/s</text>", ">0.5</text>"}) {
        CHECK_MESSAGE(has(svg, text), text);
    }
    CHECK_FALSE(has(svg, ">4</text>"));

    over.bytes = 1e9;
    CHECK(has(as_svg(curves, quantity::bandwidth, "", "", over), ">GB/s</text>"));
    curves[1].seconds[3] = 2.5;
    CHECK_FALSE(has(as_svg(curves, quantity::bandwidth, "", "", over), "lies under"));
}

TEST_CASE("times") {
    CHECK(human_time(72.14e-9) == "72.1 ns");
    CHECK(human_time(999.9e-9) == "1.00 us");
    CHECK(human_time(0.0404) == "40.4 ms");
    CHECK(human_time(1) == "1.00 s");
    CHECK(human_bytes(65536) == "64 KiB");
}

TEST_CASE("scales") {
    log_scale const x(1, 100, 0, 200);
    CHECK(x(10) == doctest::Approx(100));
    CHECK(decades(0.5, 100).size() == 3);
    CHECK(round_down(7) == doctest::Approx(5));
    CHECK(round_up(7) == doctest::Approx(10));
}

TEST_CASE("a page gets the table between the marks") {
    CHECK(insert_between("a\n<!-- t -->\nold\n<!-- end of t -->\nb", "t", "new\n") ==
          "a\n<!-- t -->\nnew\n<!-- end of t -->\nb");
    CHECK_THROWS_AS(insert_between("a", "t", "new"), std::runtime_error);
}

TEST_CASE("ratios to the controls are compared, not times") {
    auto const base = rows_of({{"shm", "automatic", 0, 4, 1, 0.5, 0.1},
                               {"shm", "automatic", 0, 1 << 20, 100, 50, 0.1},
                               {"mpich", "its own", 0, 4, 1}});
    // Everything takes 1.4 times as long, the controls too: nothing is worse.
    CHECK(compare(rows_of({{"shm", "automatic", 0, 4, 1.4, 0.7, 0.14},
                           {"shm", "automatic", 0, 1 << 20, 140, 70, 0.14},
                           {"mpich", "its own", 0, 4, 100}}),
                  base, {})
              .worse == 0);
    auto const slow = compare(rows_of({{"shm", "automatic", 0, 4, 1.4, 0.5, 0.1},
                                       {"shm", "automatic", 0, 1 << 20, 140, 50, 0.1}}),
                              base, {});
    CHECK(slow.compared == 2);
    CHECK(slow.worse == 1);  // latency may vary more than bandwidth
    CHECK(slow.text.find("WORSE") != std::string::npos);
    CHECK(slow.text.find("1 MiB") != std::string::npos);
    auto const far = compare(rows_of({{"shm", "automatic", 0, 4, 9, 0.5, 0.5}}), base, {});
    CHECK(far.worse == 0);
    CHECK(far.moved == 1);
}
