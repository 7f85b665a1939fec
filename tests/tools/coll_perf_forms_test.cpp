// SPDX-License-Identifier: BSD-3-Clause
// What coll_perf measures beside blocking calls, and how it states it.
#include "csv.hpp"
#include "effects.hpp"
#include "kinds.hpp"
#include "launch.hpp"
#include "sample_board.hpp"
#include "overlap.hpp"
#include "statistics.hpp"
#include "table.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using namespace coll_perf;

TEST_CASE("the bandwidth of the bus") {
    CHECK(bus_factor("all_reduce", 1) == 0);
    CHECK(bus_factor("all_reduce", 4) == doctest::Approx(1.5));
    CHECK(bus_factor("reduce_scatter", 4) == doctest::Approx(0.75));
    for (auto const* const whole : {"broadcast", "scan"}) { CHECK(bus_factor(whole, 4) == 1); }
    CHECK(measured_case{.collective = "exscan", .op = "max"}.shown_op() == "max");
    CHECK(measured_case{.collective = "gather", .op = "max"}.shown_op() == "none");
}

TEST_CASE("options that nothing measured looks at are refused") {
    auto const says = [](std::string const& arguments) {
        CLI::App app;
        options o;
        declare(app, o);
        app.parse(arguments);
        try {
            require_effects(app, o);
        } catch (CLI::ValidationError const& e) { return std::string(e.what()); }
        return std::string();
    };
    CHECK(says("--root 1") == "--root has no effect without a rooted collective");
    CHECK(says("--collective all_gather,start_broadcast -r 1").empty());
    CHECK(says("--collective broadcast -o max").starts_with("--op has no effect"));
    CHECK(says("--collective send_recv -o max").starts_with("--op has no effect"));
    CHECK(says("--collective all -o max -r 1").empty());
    CHECK(says("--tests 3").starts_with("--tests has no effect"));
    CHECK(says("--collective start_all --tests 3").empty());
    CHECK(says("--tensors 3").starts_with("--tensors has no effect"));
    CHECK(says("--collective fusion --threshold 1k --tensors 3").empty());
    CHECK(says("--collective split --algorithm ring").starts_with("--algorithm has no effect"));
    CHECK(says("--collective all_reducd --root 1").empty());  // which is told elsewhere
}

TEST_CASE("what must cross the busiest link") {
    CHECK(link_share("all_reduce", 4, 0) == doctest::Approx(1.5));
    CHECK(link_share("plan_all_reduce", 4, 1) == doctest::Approx(1.5));
    CHECK(link_share("all_reduce", 8, 4) == doctest::Approx(1.5));
    CHECK(link_share("all_gather", 8, 2) == doctest::Approx(0.5));
    CHECK(link_share("all_to_all", 4, 0) == doctest::Approx(0.75));
    CHECK(link_share("all_to_all", 8, 2) == doctest::Approx(2));  // 4 ranks send a half each
    CHECK(link_share("broadcast", 8, 2) == 1);
    CHECK(link_share("send_both_ways", 2, 0) == 1);
    CHECK(link_share("split", 2, 0) == 0);
    settings how;
    how.ranks = 4;
    measured_case c;
    c.count = 256;
    case_result r;
    r.samples = {3000};
    r.traffic = {1536, 6, 2, 0};  // 2 GB/s: the bound is 768 ns
    auto const m = make_measurement("shm", false, c, how, 0, r);
    CHECK(m.bound() == doctest::Approx(768));
    CHECK(combine({&m}).bound == doctest::Approx(768));
    auto const row = nlohmann::json::parse(as_json({m}))["results"][0];
    CHECK(row["sent_bytes"] == 1536);
    CHECK(row["messages"] == 6);
    CHECK(row["percent_of_bound"] == 25.6);
    CHECK(row["percent_of_limit"].is_null());
    r.traffic.clear();
    CHECK(make_measurement("shm", false, c, how, 0, r).bound() == 0);
}

TEST_CASE("names of what is measured") {
    using enum coll::collective;
    CHECK(kind::of("all_to_all_v").how == form::counts);
    CHECK(kind::of("all_to_all_v").like == all_to_all);
    CHECK(kind::of("start_scan").how == form::started);
    CHECK(kind::of("plan_barrier").how == form::planned);
    CHECK_FALSE(kind::of("start_barrier").is_sized());
    CHECK(kind::of("send_latency").parts == 2);
    CHECK(kind::of("send_recv").sender_to(0, 3) == 2);
    CHECK(kind::of("send_bandwidth").sender_to(0, 2) == -1);
    for (auto const* const none : {"all_reduce_v", "start_send", "plan_", "_v", "start_all"}) {
        CHECK_THROWS(kind::of(none));
    }
    CHECK(bus_factor("send_both_ways", 2) == 2);
    CHECK(bus_factor("plan_all_gather", 4) == doctest::Approx(0.75));
    measured_case c;
    c.count = 12;
    for (auto const* const whole : {"all_reduce", "reduce_scatter", "send_recv"}) {
        c.collective = whole;
        CHECK(osu_size(c, 3) == 48);
    }
    c.collective = "start_gather";
    CHECK(osu_size(c, 3) == 16);
}

TEST_CASE("the time that -a asks for") {
    settings how;
    measured_case c;
    c.count = 1;
    case_result r;
    r.samples = {700'000};
    r.ranks = {200'000, 600'000};
    auto const m = make_measurement("shm", false, c, how, 0, r);
    table_row row{c, "shm", how, {{"shm", {&m}}}, {}};
    table_style style;
    char const* const times[] = {" 700.0 ", " 200.0 ", " 400.0 ", " 200.0 ", " 600.0 "};
    for (int average = -1; average < 4; ++average) {
        style.average = average;
        CHECK(table_line(row, style).find(times[average + 1]) != std::string::npos);
    }
    auto const none = make_missing("shm", false, c, how, 0, "takes two ranks");
    row.out_of_place = {{"shm", {&none}}};
    CHECK(table_line(row, style).find("# takes two ranks") != std::string::npos);
}

TEST_CASE("the share of a call that work hides") {
    meeting_place const shared(board::bytes_for(1, 3));
    board alone(shared.memory(), 1, 3, true);
    struct fake {
        double rest = 0;
        bool test() const { return true; }
        void wait() const { compute_for(rest); }
    };
    constexpr double pure = 20e6;  // nanoseconds
    auto const hidden = [&](double rest) {
        return measure_overlap(alone, 0, 1, 3, pure, 2, [&] { return fake{rest}; })[0];
    };
    CHECK(hidden(0) > 60);  // all but for what this machine does meanwhile
    CHECK(hidden(pure / 1e9) < 10);
}
