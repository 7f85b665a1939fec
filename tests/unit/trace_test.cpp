// SPDX-License-Identifier: BSD-3-Clause
// Traces as Chrome JSON: rows that do not overlap, arrows from sends to receives.
#include <collectives/schedule/trace.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <locale>
#include <map>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace coll = collectives;
using coll::trace_event;
using coll::verb;
using json = nlohmann::json;

static_assert(std::is_trivially_copyable_v<trace_event>);

namespace {

json written(std::vector<trace_event> const& events) {
    std::ostringstream out;
    coll::write_chrome_trace(out, events);
    return json::parse(out.str());
}

std::vector<json> of_phase(json const& trace, std::string const& phase) {
    std::vector<json> result;
    for (auto const& e : trace.at("traceEvents")) {
        if (e.at("ph") == phase) { result.push_back(e); }
    }
    return result;
}

trace_event event(int rank, verb action, int peer, std::int64_t begin, std::int64_t end) {
    trace_event e;
    e.rank = rank;
    e.action = action;
    e.peer = peer;
    e.begin_ns = begin;
    e.end_ns = end;
    return e;
}

}  // namespace

TEST_CASE("no events make an empty trace") { CHECK(written({}).at("traceEvents").empty()); }

TEST_CASE("a step becomes a slice with its facts") {
    auto e = event(2, verb::recv_reduce, 1, 5'000'000, 5'001'500);
    e.bytes = 4096;
    e.operation = 7;
    e.round = 3;
    e.segment = 2;
    e.chunks = {5, 2};
    e.what = coll::collective::reduce_scatter;
    auto const trace = written({event(0, verb::send, 1, 4'999'001, 5'000'000), e});
    auto const slices = of_phase(trace, "X");
    REQUIRE(slices.size() == 2);
    auto const& s = slices[1];
    CHECK(s.at("name") == "recv_reduce from 1");
    CHECK(s.at("cat") == "reduce_scatter");
    CHECK(s.at("pid") == 2);
    CHECK(s.at("ts").get<double>() == doctest::Approx(0.999));  // microseconds from the first event
    CHECK(s.at("dur").get<double>() == doctest::Approx(1.5));
    CHECK(s.at("args").at("bytes") == 4096);
    CHECK(s.at("args").at("operation") == 7);
    CHECK(s.at("args").at("round") == 3);
    CHECK(s.at("args").at("segment") == 2);
    CHECK(s.at("args").at("first_chunk") == 5);
    CHECK(s.at("args").at("chunks") == 2);
    CHECK(slices[0].at("name") == "send to 1");
    CHECK(slices[0].at("ts").get<double>() == 0);
}

TEST_CASE("ranks are processes, with names") {
    auto const trace = written({event(0, verb::send, 1, 0, 9), event(1, verb::recv_copy, 0, 0, 9)});
    std::vector<std::string> names;
    for (auto const& m : of_phase(trace, "M")) { names.push_back(m.at("args").at("name")); }
    CHECK(names == std::vector<std::string>{"rank 0", "sends", "rank 1", "receives"});
}

TEST_CASE("an operation with a name takes the time of its steps, in a row of its own") {
    auto first = event(1, verb::send, 0, 1000, 2000),
         second = event(1, verb::recv_copy, 0, 500, 1500);
    auto other = event(1, verb::send, 0, 9000, 9500);
    other.operation = 3;
    std::ostringstream out;
    coll::write_chrome_trace(out, std::vector{first, second, other}, {{0, "a call"}});
    auto const trace = json::parse(out.str());
    auto const begins = of_phase(trace, "B"), ends = of_phase(trace, "E");
    REQUIRE(begins.size() == 1);
    REQUIRE(ends.size() == 1);
    CHECK(begins[0].at("name") == "a call");
    CHECK(begins[0].at("pid") == 1);
    CHECK(begins[0].at("ts").get<double>() == 0);
    CHECK(ends[0].at("ts").get<double>() == doctest::Approx(1.5));
    CHECK(begins[0].at("tid") == ends[0].at("tid"));
    for (auto const& step : of_phase(trace, "X")) { CHECK(step.at("tid") != begins[0].at("tid")); }
}

TEST_CASE("slices of one row never overlap") {
    std::vector<trace_event> events;
    for (int i = 0; i < 40; ++i) {
        auto const begin = (i * 37) % 100;
        events.push_back(event(i % 3, i % 2 == 0 ? verb::send : verb::recv_copy, (i + 1) % 3, begin,
                               begin + 5 + i % 17));
    }
    std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> rows;
    for (auto const& s : of_phase(written(events), "X")) {
        auto const ts = s.at("ts").get<double>();
        rows[{s.at("pid"), s.at("tid")}].push_back({ts, ts + s.at("dur").get<double>()});
    }
    for (auto& [row, spans] : rows) {
        std::sort(spans.begin(), spans.end());
        for (std::size_t i = 1; i < spans.size(); ++i) {
            CHECK(spans[i - 1].second <= spans[i].first + 1e-9);
        }
    }
}

TEST_CASE("an arrow leads from each send to its receive") {
    auto late = event(0, verb::send, 1, 20, 30);
    late.round = 1;
    auto late_receive = event(1, verb::recv_reduce, 0, 22, 44);
    late_receive.round = 1;
    auto lonely = event(0, verb::send, 2, 0, 10);
    auto const trace = written({event(0, verb::send, 1, 0, 10), late, lonely,
                                event(1, verb::recv_reduce, 0, 5, 12), late_receive});
    auto const starts = of_phase(trace, "s");
    auto const ends = of_phase(trace, "f");
    REQUIRE(starts.size() == 2);
    REQUIRE(ends.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(starts[i].at("id") == ends[i].at("id"));
        CHECK(starts[i].at("pid") == 0);
        CHECK(ends[i].at("pid") == 1);
        CHECK(ends[i].at("bp") == "e");
    }
    CHECK(starts[1].at("ts").get<double>() == doctest::Approx(0.020));
    CHECK(ends[1].at("ts").get<double>() == doctest::Approx(0.043));
}

TEST_CASE("the k-th send of a round belongs to the k-th receive") {
    auto const trace =
        written({event(0, verb::send, 1, 0, 1), event(0, verb::send, 1, 2, 3),
                 event(1, verb::recv_copy, 0, 4, 5), event(1, verb::recv_copy, 0, 6, 7)});
    auto const starts = of_phase(trace, "s");
    auto const ends = of_phase(trace, "f");
    REQUIRE(starts.size() == 2);
    CHECK(starts[0].at("ts").get<double>() < starts[1].at("ts").get<double>());
    CHECK(ends[0].at("ts").get<double>() < ends[1].at("ts").get<double>());
}

TEST_CASE("a step that took no time is still visible") {
    auto const trace = written({event(0, verb::send, 1, 5, 5)});
    CHECK(of_phase(trace, "X").at(0).at("dur").get<double>() > 0);
}

TEST_CASE("the stream's locale changes nothing") {
    struct grouped : std::numpunct<char> {
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    std::ostringstream out;
    out.imbue(std::locale(out.getloc(), new grouped));
    auto e = event(0, verb::send, 1, 0, 1'234'567'890);
    e.bytes = 1'234'567;
    std::vector<trace_event> const events{e};
    coll::write_chrome_trace(out, events);
    CHECK(of_phase(json::parse(out.str()), "X").at(0).at("args").at("bytes") == 1'234'567);
}
