// SPDX-License-Identifier: BSD-3-Clause
// The commands by which coll_perf has launchers start ranks.
#include <coll_perf/peers.hpp>

#include <collectives/core/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace coll_perf;
using collectives::usage_error;

TEST_CASE("peers are started with what suits them") {
    auto const has = [](std::vector<std::string> const& command, char const* word) {
        return std::find(command.begin(), command.end(), word) != command.end();
    };
    settings how;
    auto const command = [&how](char const* launcher) {
        return launch_command(launcher, "driver", how, true, false);
    };
    auto const crowded = launch_command("openmpi", "driver", how, false, true);
    CHECK(has(crowded, "--oversubscribe"));
    CHECK(has(crowded, "mpi_yield_when_idle"));
    CHECK(has(crowded, "--allow-run-as-root"));
    CHECK(crowded.back() == "driver");
    CHECK_FALSE(has(command("openmpi"), "--oversubscribe"));
    CHECK(has(command("openmpi"), "none"));
    CHECK_FALSE(has(command("mpich"), "-bind-to"));
    how.places = {{{}, "core 0", binding::unit::core, 0}, {{}, "core 2", binding::unit::core, 2}};
    for (auto const n : {0U, 4U}) { how.places[0].processors.add(n); }
    how.places[1].processors.add(2);
    CHECK(has(command("mpich"), "user:0+4,2"));
    CHECK(has(command("openmpi"), "core"));
    CHECK(text_of(settings_of(as_text(how)).places.at(0).processors) == "0,4");
    how.places[0].of = binding::unit::numa;
    CHECK(has(command("openmpi"), "numa:overload-allowed"));
    CHECK(command("gloo").size() == 1);
    std::string missing;
    CHECK_THROWS_AS(find_peer("nothing", "/", 1, missing), usage_error);
    static_cast<void>(find_peer("mpich", "/nowhere", 1, missing));
    CHECK(missing.find("mpich cannot be measured") != missing.npos);
    CHECK(command("nccl").size() == 1);
    CHECK_THROWS_AS(require_same_memory("nccl", {"cuda", "shm"}), usage_error);
    CHECK_NOTHROW(require_same_memory("nccl", {"cuda", "cuda-threads"}));
    CHECK_NOTHROW(require_same_memory("gloo", {"shm"}));
}
