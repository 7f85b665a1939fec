// SPDX-License-Identifier: BSD-3-Clause
// What coll_perf makes of sizes and samples, and whether its check finds what is wrong.
#include "campaign.hpp"
#include "csv.hpp"
#include "model.hpp"
#include "peers.hpp"
#include "sample_board.hpp"
#include "sizes.hpp"
#include "statistics.hpp"
#include "table.hpp"

#include <csv_quoted.hpp>

#include <collectives/core/error.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <complex>
#include <fstream>
#include <iterator>
#include <limits>
#include <regex>
#include <string>
#include <utility>

using namespace coll_perf;
using collectives::usage_error;

TEST_CASE("quantiles lie between the samples") {
    CHECK(quantile({}, 0.5) == 0);
    CHECK(quantile({7}, 0.99) == 7);
    CHECK(quantile({3, 1, 2}, 0.5) == 2);
    CHECK(quantile({4, 1, 2, 3}, 0.5) == doctest::Approx(2.5));
    std::vector<double> hundred;
    for (int i = 100; i >= 0; --i) { hundred.push_back(i); }
    CHECK(quantile(hundred, 0.95) == doctest::Approx(95));
    auto const s = summary_of(hundred);
    CHECK(s.samples == 101);
    CHECK(s.least == 0);
    CHECK(s.median == 50);
    CHECK(s.p99 == doctest::Approx(99));
    CHECK(s.most == 100);
    CHECK(s.mean == doctest::Approx(50));
}

TEST_CASE("samples whose control moved are thrown away") {
    case_result r;
    r.samples = {1, 2, 3, 4, 5};
    r.round_trips = {100, 100, 151, 100, 60};  // the third is too slow, the last too quick
    r.copies = {1, 1, 1, 9, 1};
    r.copies_past_cache = {1, 1, 1, 1, 1};
    auto large = r;
    CHECK(drop_unsteady(r, 64) == 2);
    CHECK(r.samples == std::vector<double>{1, 2, 4});
    CHECK(r.round_trips.size() == 3);
    CHECK(drop_unsteady(large, 1 << 20) == 1);
    CHECK(large.samples == std::vector<double>{1, 2, 3, 5});
    case_result without;
    without.samples = {1, 1000};
    CHECK(drop_unsteady(without, 64) == 0);
}

TEST_CASE("sizes") {
    CHECK(parse_bytes("4096") == 4096);
    CHECK(parse_bytes("64K") == 65536);
    CHECK(parse_bytes("64k") == 65536);
    CHECK(parse_bytes("1MiB") == 1048576);
    CHECK(parse_bytes("2G") == std::size_t{2} << 30);
    for (auto const* const bad : {"", "K", "-1", "4X", "1.5M", "4KK", "99999999999999999999G"}) {
        CHECK_THROWS_AS(parse_bytes(bad), usage_error);
    }
    CHECK(size_range(4, 64, 4, 0) == std::vector<std::size_t>{4, 16, 64});
    CHECK(size_range(4, 10, 2, 3) == std::vector<std::size_t>{4, 7, 10});
    CHECK(size_range(4, 5, 1.01, 0) == std::vector<std::size_t>{4, 5});
    CHECK_THROWS_AS(size_range(8, 4, 2, 0), usage_error);
    CHECK_THROWS_AS(size_range(4, 8, 1, 0), usage_error);
    CHECK_THROWS_AS(size_range(0, 8, 2, 0), usage_error);
    constexpr auto most = std::size_t{1} << 40;
    CHECK(size_range(most / 2, most, std::numeric_limits<double>::infinity(), 0).size() == 1);
    CHECK(size_range(1, most, 2, ~std::size_t{0}).size() == 1);
    CHECK_THROWS_AS(size_range(1, most + 1, 2, 0), usage_error);
    CHECK_THROWS_AS(size_range(0, most, 2, 1), usage_error);
    CHECK(split_list("a,b") == std::vector<std::string>{"a", "b"});
    CHECK_THROWS_AS(split_list("a,,b"), usage_error);
    CHECK(batch_for(4) == 64);
    CHECK(batch_for(64 << 10) == 1);
}

namespace {

/// Runs a collective by hand, from the model's inputs, and gives rank `rank`'s output.
template <class T, class Op>
std::size_t wrong_after(coll::collective what, bool corrupt) {
    constexpr int ranks = 3, rank = 1, root = 0;
    constexpr std::size_t count = 12, block = count / ranks;
    std::vector<T> out;
    if (what == coll::collective::all_reduce) {
        for (std::size_t i = 0; i < count; ++i) {
            T total = value<T, Op>(0, i);
            for (int r = 1; r < ranks; ++r) { total = Op{}(total, value<T, Op>(r, i)); }
            out.push_back(total);
        }
    } else if (what == coll::collective::all_gather) {
        for (int r = 0; r < ranks; ++r) {
            for (std::size_t i = 0; i < block; ++i) { out.push_back(value<T, Op>(r, i)); }
        }
    } else {  // all_to_all
        for (int r = 0; r < ranks; ++r) {
            for (std::size_t i = 0; i < block; ++i) {
                out.push_back(value<T, Op>(r, rank * block + i));
            }
        }
    }
    if (corrupt) { out[7] = T(100); }
    return model_of<T, Op>().count_wrong(out.data(), out.size(), what, rank, ranks, root, count);
}

}  // namespace

TEST_CASE("the check counts what is wrong, and nothing else") {
    using enum coll::collective;
    for (auto const what : {all_reduce, all_gather, all_to_all}) {
        CHECK(wrong_after<float, coll::sum>(what, false) == 0);
        CHECK(wrong_after<float, coll::sum>(what, true) == 1);
        CHECK(wrong_after<std::int8_t, coll::product>(what, false) == 0);
        CHECK(wrong_after<std::int8_t, coll::product>(what, true) == 1);
        CHECK(wrong_after<coll::bfloat16, coll::max>(what, true) == 1);
        CHECK(wrong_after<coll::float8_e4m3, coll::sum>(what, false) == 0);
        CHECK(wrong_after<coll::float8_e5m2, coll::product>(what, true) == 1);
        CHECK(wrong_after<std::complex<double>, coll::sum>(what, true) == 1);
    }
}

TEST_CASE("where input and output lie") {
    using enum coll::collective;
    auto const s = shape::of(all_gather, 12, true, 2, 3, 0);
    CHECK(s.in.vector == 0);
    CHECK(s.in.first == 8);
    CHECK(s.in.count == 4);
    CHECK(s.out.count == 12);
    CHECK(s.out.vector == 0);
    CHECK(shape::of(all_reduce, 12, false, 2, 3, 0).out.vector == 1);
    CHECK(shape::of(broadcast, 12, false, 2, 3, 0).out.vector == 0);
    CHECK_FALSE(shape::of(reduce, 12, true, 2, 3, 0).has_result);
    for (int const r : {0, 1}) { CHECK(shape::of(exscan, 9, true, r, 3, 0).has_result == r); }
    CHECK(count_for(all_to_all, 4, 4, 3) == 3);
    CHECK(count_for(all_reduce, 4, 8, 3) == 1);
    CHECK(count_for(barrier, 4, 8, 3) == 0);
}

TEST_CASE("a case and its result survive the way through another program") {
    measured_case c{"gather", "its own", "double", "max", 2, 12, 8, true, 64};
    c.algorithm = "ring";
    auto const back = case_of(as_text(c));
    CHECK(back.collective == "gather");
    CHECK(back.root == 2);
    CHECK(back.bytes() == 96);
    CHECK(back.in_place);
    CHECK(back.batch == 64);
    settings how;
    how.budget = 0.25;
    how.cold = true;
    how.touch = how.allocated = false;
    CHECK(settings_of(as_text(how)).budget == 0.25);
    CHECK(settings_of(as_text(how)).cold);
    CHECK(!settings_of(as_text(how)).touch);
    std::swap(how.cold, how.touch);
    CHECK(!settings_of(as_text(how)).cold);
    CHECK(settings_of(as_text(how)).touch);
    how.offset = 16;
    CHECK(settings_of(as_text(how)).offset == 16);
    how.loop = true;
    CHECK(settings_of(as_text(how)).loop);
    CHECK(!settings_of(as_text(how)).trace);
    case_result r{1, 2, 3, {10.5, 11}, {}, {}, {99}, {7}, {}, {8, 2, 1.5, 0}, "not at all", {5, 6}},
        read;
    REQUIRE(read_result(as_text(r), read));
    CHECK(read.index == 1);
    CHECK(read.wrong == 2);
    CHECK(read.pinned == 3);
    CHECK(read.samples == r.samples);
    CHECK(read.copies.empty());
    CHECK(read.round_trips == r.round_trips);
    CHECK(read.ranks == r.ranks);
    CHECK(read.traffic == r.traffic);
    CHECK(read.missing == r.missing);
    CHECK(read.loops == r.loops);
    CHECK_FALSE(read_result("[vm] some noise of a launcher", read));
    CHECK_FALSE(read_result("coll_perf-result 0 0 2 3 1 2", read));
}

TEST_CASE("what tests/gpu/run tells the driver of devices") {
    std::ifstream file("tests/gpu/others.py");
    std::string const text((std::istreambuf_iterator<char>(file)), {});
    std::smatch told, asked;
    REQUIRE(std::regex_search(text, told, std::regex("PERF_SETTINGS = \"([0-9 ]+)\"")));
    REQUIRE(std::regex_search(text, asked, std::regex("f\"(.*) [{]b // 4[}] (.*)\"")));
    auto const how = settings_of("2 " + told.str(1));
    CHECK(how.iterations == 21);
    CHECK(how.check);
    CHECK(how.controls);
    CHECK(as_text(how) == "2 " + told.str(1));  // no word too many
    auto const c = case_of(asked.str(1) + " 1024 " + asked.str(2));
    CHECK(c.collective == "all_reduce");
    CHECK(c.count == 1024);
    CHECK(as_text(c) == asked.str(1) + " 1024 " + asked.str(2));
}

TEST_CASE("files") {
    CHECK(tools::csv_quoted("plain") == "plain");
    CHECK(tools::csv_quoted("a,\"b\"") == "\"a,\"\"b\"\"\"");
    settings how;
    measured_case c;
    c.count = 256;
    case_result r;
    r.samples = {1000, 2000, 3000};
    r.wrong = 5;
    auto const m = make_measurement("shm", false, c, how, 0, r);
    CHECK(m.algbw() == doctest::Approx(0.512));
    auto const text = as_csv({m, make_missing("mpich", true, c, how, 0, "did not finish, alas")});
    CHECK(std::count(text.begin(), text.end(), '\n') == 3);
    CHECK(text.find("\"did not finish, alas\"") != text.npos);
    auto const json = nlohmann::json::parse(as_json({m}));
    CHECK(json["results"][0]["median_us"] == 2.0);
    CHECK(json["results"][0]["wrong"] == 5);
    CHECK(json["results"][0]["collective"] == "all_reduce");
    CHECK(table_footer({m}, 0).find("Out of bounds values : 5 FAILED") != std::string::npos);
    CHECK(table_footer({m}, 2).find("Launched again       : 2 times") != std::string::npos);
}

TEST_CASE("launches are combined by their medians") {
    settings how;
    measured_case c;
    c.count = 1;
    auto const one = [&](double t) {
        case_result r;
        r.samples = {t};
        return make_measurement("shm", false, c, how, 0, r);
    };
    auto const a = one(100), b = one(300), d = one(200);
    auto const all = combine({&a, &b, &d});
    CHECK(all.median == 200);
    CHECK(all.spread == 3);
    CHECK(all.launches == 3);
    CHECK(combine({}).launches == 0);
}

TEST_CASE("a turn whose programs met the cores at different distances is launched again") {
    meeting_place const shared(board::bytes_for(1, 1));
    auto& begun = *static_cast<std::atomic<int>*>(shared.memory());
    auto const program_at = [&](std::string name, auto const& trip_of) {
        return program{std::move(name), false,
                       [&begun, trip_of](int out, auto const&, auto const&, auto const&) {
                           case_result r;
                           r.samples = {1};
                           r.round_trips = {trip_of(begun++)};
                           r.pinned = 1;
                           write_line(out, as_text(r));
                           return 0;
                       }};
    };
    campaign c;
    c.how.ranks = 1;
    c.how.iterations = 1;
    c.launches = 2;
    auto const near = [](int) { return 100.; };
    c.programs = {program_at("near", near),
                  program_at("far at first", [](int i) { return i < 4 ? 400. : 100.; })};
    c.run({measured_case{}});
    CHECK(c.repeated == 2);
    CHECK(c.all.size() == 4);
    for (auto const& m : c.all) { CHECK(m.round_trip == 100); }

    campaign never;
    never.how = c.how;
    never.launches = 2;
    never.programs = {c.programs[0], program_at("always far", [](int) { return 400.; })};
    never.run({measured_case{}});
    CHECK(never.repeated == 4);  // then it is kept as it is
    CHECK(never.all.size() == 4);
}
