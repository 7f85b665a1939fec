// SPDX-License-Identifier: BSD-3-Clause
// What coll_perf makes of recorded calls: a trace for people, and the messages of a bare loop.
#include "ranks/bare_loop.hpp"
#include "traces.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace coll = collectives;
using coll::trace_event;
using coll::verb;
using coll_perf::traced_call;

namespace {

trace_event event(verb action, int peer, std::uint64_t bytes, std::int64_t begin,
                  std::int64_t end) {
    trace_event e;
    e.action = action;
    e.peer = peer;
    e.bytes = bytes;
    e.begin_ns = begin;
    e.end_ns = end;
    return e;
}

std::vector<nlohmann::json> of_phase(coll_perf::traces const& all, std::string const& phase) {
    std::vector<nlohmann::json> found;
    auto const text = nlohmann::json::parse(all.as_chrome_trace());
    for (auto const& e : text.at("traceEvents")) {
        if (e.at("ph") == phase) { found.push_back(e); }
    }
    return found;
}

}  // namespace

TEST_CASE("a traced call is handed on as a line") {
    auto e = event(verb::recv_copy, 3, 1'000'000'000'000, 5, 17);
    e.what = coll::collective::all_gather;
    e.operation = 9;
    e.rank = 2;
    e.round = 4;
    e.segment = 7;
    e.chunks = {1, 6};
    traced_call const call{12, {e, event(verb::send, 1, 4, 6, 7)}};
    traced_call read;
    REQUIRE(coll_perf::read_traced(coll_perf::as_text(call), read));
    CHECK(read.index == 12);
    CHECK(read.events == call.events);
    CHECK_FALSE(coll_perf::read_traced("coll_perf-result 0 0 2", read));
    CHECK_FALSE(coll_perf::read_traced("coll_perf-trace 0 2 1 2 3", read));
}

TEST_CASE("a message is posted after the receives that had come by then, each told once") {
    std::vector<trace_event> const events{
        event(verb::recv_reduce, 1, 8, 0, 10), event(verb::send, 1, 8, 1, 40),
        event(verb::recv_copy, 2, 16, 2, 20), event(verb::send, 2, 16, 10, 41),
        event(verb::recv_copy, 2, 32, 25, 42)};
    auto const messages = coll_perf::messages_of(events);
    REQUIRE(messages.size() == 5);
    using list = std::vector<std::size_t>;
    CHECK(messages[0].after == list{});
    CHECK(messages[1].after == list{});
    CHECK(messages[3].after == list{0});
    CHECK(messages[4].after == list{2});
    CHECK_FALSE(messages[2].sends);
    CHECK(messages[3].sends);
    CHECK(messages[3].peer == 2);
    CHECK(messages[3].bytes == 16);
}

TEST_CASE("segments of a call do not meet in the loop") {
    auto one = event(verb::send, 1, 8, 0, 1), two = one;
    two.segment = 5;
    std::vector<trace_event> const events{one, two};
    auto const messages = coll_perf::messages_of(events);
    CHECK(messages[0].tag != messages[1].tag);
}

TEST_CASE("traced calls stand one behind the other under their names") {
    coll_perf::traces all;
    coll_perf::measured_case what;
    what.algorithm = "ring";
    what.count = 16;
    // A second call that began before the first, on another communicator whose numbers are the
    // same.
    all.add({0, {event(verb::send, 1, 64, 5000, 6000)}}, "shm", what, 500);
    what.in_place = true;
    all.add({1, {event(verb::send, 1, 64, 100, 1600)}}, "shm", what, 500);
    all.add({2, {}}, "shm", what, 500);
    CHECK(all.calls() == 2);
    CHECK(all.events() == 2);
    CHECK(all.cost() == doctest::Approx(2.5));
    auto const steps = of_phase(all, "X");
    REQUIRE(steps.size() == 2);
    CHECK(steps[0].at("ts") == 0);
    CHECK(steps[1].at("ts").get<double>() > 1);  // microseconds: after the first
    CHECK(steps[0].at("args").at("operation") != steps[1].at("args").at("operation"));
    auto const calls = of_phase(all, "B");
    REQUIRE(calls.size() == 2);
    CHECK(calls[0].at("name") == "shm, all_reduce, ring, float, sum, 64 bytes");
    CHECK(calls[1].at("name") == "shm, all_reduce, ring, float, sum, 64 bytes, in place");
}
