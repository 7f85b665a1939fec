// SPDX-License-Identifier: BSD-3-Clause
// The JSON of nccl-tests: its keys, in its order, and what they hold.
#include <coll_perf/nccl_json.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

using namespace coll_perf;
using json = nlohmann::ordered_json;

namespace {

using names = std::vector<std::string>;
names keys(json const& of) {
    names all;
    for (auto const& [key, value] : of.items()) { all.push_back(key); }
    return all;
}

measurement measured(measured_case c, bool in_place, double nanoseconds, settings const& how) {
    c.in_place = in_place;
    case_result r;
    r.samples = {nanoseconds, nanoseconds, nanoseconds};
    r.ranks = {nanoseconds, 2 * nanoseconds};
    return make_measurement("shm", false, c, how, 0, r);
}

std::string text_of(std::filesystem::path const& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("the JSON of nccl-tests has its keys") {
    options o;
    o.command = {"coll_perf", "-J", "here\xff"};  // no UTF-8
    o.least = "1K";
    settings how;
    measured_case c;
    c.count = 256;
    c.root = -1;
    ::setenv("COLLECTIVES_TEST_OF_JSON", "1", 1);
    ::setenv("A_SECRET", "1", 1);
    std::vector<measurement> const all{measured(c, false, 1000, how), measured(c, true, 2000, how),
                                       make_missing("mpich", true, c, how, 0, "did not finish"),
                                       measured(c, false, 4000, how)};  // of the next cycle
    auto const text = as_nccl_json(all, o, {"then", "now"});
    auto const got = json::parse(text);
    CHECK(keys(got) == names{"version", "start_time", "args", "env", "nccl_version",
                             "coll_perf_version", "config", "results", "out_of_bounds",
                             "average_bus_bandwidth", "errors", "end_time"});
    CHECK(got["version"] == 2);
    CHECK(got["args"] == json{"coll_perf", "-J", "here\xEF\xBF\xBD"});
    CHECK(text.find("COLLECTIVES_TEST_OF_JSON=1") != text.npos);
    CHECK(text.find("A_SECRET") == text.npos);
    CHECK(keys(got["config"]) ==
          names{"nthreads", "ngpus", "minimum_bytes", "maximum_bytes", "step_factor",
                "warmup_iters", "iterations", "aggregated_iterations", "validation", "graph",
                "blocking_collectives", "per_iter_timing", "parallel_init", "devices"});
    CHECK(got["config"]["minimum_bytes"] == 1024);
    CHECK(got["config"]["blocking_collectives"] == "true");
    CHECK(got["config"]["devices"].size() == 2);
    CHECK(keys(got["config"]["devices"][1]) ==
          names{"rank", "group", "pid", "hostname", "device", "device_hex", "device_info"});
    REQUIRE(got["results"].size() == 3);
    auto const& row = got["results"][0];
    CHECK(keys(row) == names{"size", "count", "type", "redop", "root", "out_of_place", "in_place",
                             "actual_iterations", "experiment_name"});
    CHECK(row["size"] == 1024);
    CHECK(row["root"] == "    -1");
    CHECK(row["actual_iterations"] == 3);
    CHECK(keys(row["in_place"]) == names{"time", "alg_bw", "bus_bw", "nwrong"});
    CHECK(row["out_of_place"]["time"].get<double>() == doctest::Approx(1));
    CHECK(row["out_of_place"]["alg_bw"].get<double>() == doctest::Approx(1.024));
    CHECK(row["in_place"]["time"].get<double>() == doctest::Approx(2));
    CHECK(row["in_place"]["nwrong"] == 0);
    CHECK(got["results"][1]["out_of_place"].is_null());
    CHECK(got["results"][2]["in_place"].is_null());
    CHECK(got["errors"] == json{"did not finish"});
    CHECK(got["out_of_bounds"] == json{{"count", 0}, {"okay", "true"}});
    CHECK(got["average_bus_bandwidth"]["okay"] == "unchecked");

    o.average = 3;  // the most of the ranks' means
    o.step = "1K";
    o.check = 0;
    auto const other = json::parse(as_nccl_json(all, o, {}));
    CHECK(other["results"][0]["out_of_place"]["time"].get<double>() == doctest::Approx(2));
    CHECK(other["config"]["step_bytes"] == 1024);
    CHECK_FALSE(other["config"].contains("step_factor"));
}

TEST_CASE(
    "the JSON of nccl-tests says whether ranks are threads, and whether they are on devices") {
    auto const config = [](std::string const& transport) {
        auto m = measured({}, false, 1000, {});
        m.transport = transport;
        auto const its = json::parse(as_nccl_json({m}, {}, {}))["config"];
        return std::pair(its["nthreads"].get<int>(), its["ngpus"].get<int>());
    };
    CHECK(config("shm") == std::pair(1, 0));
    CHECK(config("threads") == std::pair(2, 0));
    CHECK(config("cuda: 2 ranks sharing one GPU") == std::pair(1, 1));
    CHECK(config("cuda-threads: 2 ranks sharing one GPU") == std::pair(2, 1));
}

TEST_CASE("what is not checked has no wrong elements, and a wrong one is not okay") {
    settings how;
    how.check = false;
    auto m = measured({}, false, 1000, how);
    CHECK(json::parse(as_nccl_json({m}, {}, {}))["results"][0]["out_of_place"]["nwrong"].is_null());
    m.wrong = 2;
    CHECK(json::parse(as_nccl_json({m}, {}, {}))["out_of_bounds"]["okay"] == "false");
}

TEST_CASE("a file that is there is not written again") {
    auto const folder = std::filesystem::temp_directory_path() /
                        ("coll_perf_nccl_test." + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    auto const path = (folder / "out.json").string();
    CHECK(write_new_file(path, "a") == path);
    CHECK(write_new_file(path, "b") == path + ".0");
    CHECK(write_new_file(path, "c") == path + ".1");
    CHECK(text_of(path) == "a");
    CHECK(text_of(path + ".1") == "c");
    CHECK_THROWS_AS(write_new_file((folder / "none" / "out").string(), ""), std::runtime_error);
    std::filesystem::remove_all(folder);
}
