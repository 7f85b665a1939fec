// SPDX-License-Identifier: BSD-3-Clause
#include "peers.hpp"

#include "cores.hpp"
#include "launch.hpp"
#include "order.hpp"

#include "../launched/launched.hpp"

#include <collectives/core/error.hpp>
#include <collectives/core/processors.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace coll_perf {

namespace fs = std::filesystem;

namespace {

fs::path own_path() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored);
}
fs::path own_folder() { return own_path().parent_path(); }

/// As MPICH's launcher takes them: 0+4,1+5.
std::string words_of(std::vector<binding::place> const& places) {
    std::string all;
    for (auto const& p : places) {
        auto one = text_of(p.processors);
        std::replace(one.begin(), one.end(), ',', '+');
        all += (all.empty() ? "" : ",") + one;
    }
    return all;
}

/// A program whose ranks a launcher starts, with these words before the `order`.
struct launch_line {
    std::string launcher, program;
    std::vector<std::string> words;
    double seconds_per_case = 0;

    int become(int descriptor, meeting_place const& place, settings const& how,
               std::vector<measured_case> const& cases) const {
        auto const seconds = seconds_per_case * static_cast<double>(cases.size()) + 5;
        order const asked{place.path(), static_cast<unsigned>(seconds),
                          how.ranks <= collectives::usable_processors(), how, cases};
        auto command =
            launch_command(launcher, program, how, asked.core_per_rank, ::geteuid() == 0);
        command.insert(command.end(), words.begin(), words.end());
        for (auto& word : asked.words()) { command.push_back(std::move(word)); }
        return coll_perf::become(command, descriptor);
    }
};

program program_of(std::string const& title, bool peer, launch_line line) {
    return {title, peer, [line = std::move(line)](auto const&... a) { return line.become(a...); }};
}

program find_driver(std::string const& name, bool peer, std::string const& launcher,
                    std::string const& folder, double seconds_per_case, std::string& missing) {
    if (auto why = why_no_driver(name, folder); !why.empty()) { missing = std::move(why); }
    return program_of(name, peer, {launcher, driver_of(name, folder), {}, seconds_per_case});
}

}  // namespace

std::string sharing_of_devices(std::string const& transport, std::string const& folder, int ranks) {
    std::vector<std::string> const command{driver_of(transport, folder), "ranks",
                                           std::to_string(ranks)};
    auto const end = run_launch([&](int descriptor) { return become(command, descriptor); }, 60,
                                [](auto const&) { return false; });
    auto const said = end.said.substr(0, end.said.find('\n'));
    auto const failed = fmt::format("{} cannot be measured: {}", transport, said);
    if (end.how == launch_end::how::failed && end.status == 77) { throw no_device(failed); }
    if (end.how != launch_end::how::well) { throw std::runtime_error(failed); }
    return said;
}

std::string default_peer_folder() { return (own_folder().parent_path() / "bench").string(); }

bool is_launched(std::string_view transport) {
    return std::find(launched_transports.begin(), launched_transports.end(), transport) !=
           launched_transports.end();
}

bool is_on_devices(std::string_view transport) { return transport.starts_with("cuda"); }

std::vector<std::string> launch_command(std::string_view launcher, std::string const& driver,
                                        settings const& how, bool core_per_rank, bool is_root) {
    auto const n = std::to_string(how.ranks);
    std::vector<std::string> command;
    if (launcher == "mpich") {
        command = {"mpiexec.mpich", "-n", n};
        if (!how.places.empty()) {
            command.insert(command.end(), {"-bind-to", "user:" + words_of(how.places)});
        }
    } else if (launcher == "openmpi") {
        command = {"mpiexec.openmpi", "-n", n};
        if (is_root) { command.emplace_back("--allow-run-as-root"); }
        if (!core_per_rank) {
            // Ranks that yield their core while they wait; without this they spin for a time slice.
            command.insert(command.end(), {"--oversubscribe", "--mca", "mpi_yield_when_idle", "1"});
        }
        auto const of = how.places.empty() ? binding::unit::none : how.places.front().of;
        if (of == binding::unit::core) { command.insert(command.end(), {"--map-by", "core"}); }
        command.insert(command.end(),
                       {"--bind-to", of == binding::unit::core   ? "core"
                                     : of == binding::unit::numa ? "numa:overload-allowed"
                                                                 : "none"});
    } else if (launcher == "collrun") {
        command = {(own_folder() / "collrun").string(), "-n", n, "--no-prefix", "--quiet", "--"};
    }
    command.push_back(driver);
    if (launcher == "threads" || launcher == "processes") { command.emplace_back(launcher); }
    return command;
}

void require_peer_name(std::string const& name) {
    if (std::find(peer_names.begin(), peer_names.end(), name) != peer_names.end()) { return; }
    throw collectives::usage_error(fmt::format("there is no peer \"{}\"; the peers are {}", name,
                                               fmt::join(peer_names, ", ")));
}

void require_same_memory(std::string const& name, std::vector<std::string> const& transports) {
    if (name == "nccl" && !std::all_of(transports.begin(), transports.end(), is_on_devices)) {
        throw collectives::usage_error(
            "--peer nccl measures the memory of devices: it goes with --transport cuda or "
            "cuda-threads alone");
    }
}

std::string driver_of(std::string const& name, std::string const& folder) {
    return (fs::path(folder) / (is_on_devices(name) ? "ours_cuda" : "peer_" + name)).string();
}

std::string why_no_driver(std::string const& name, std::string const& folder) {
    auto const driver = driver_of(name, folder);
    if (::access(driver.c_str(), X_OK) == 0) { return {}; }
    return fmt::format(
        "{} cannot be measured: there is no driver {}. ./dev bench installs what it is built with, "
        "and builds it; or say with --peers-in where it is.",
        name, driver);
}

program find_peer(std::string const& name, std::string const& folder, double seconds_per_case,
                  std::string& missing) {
    require_peer_name(name);
    return find_driver(name, true, name, folder, seconds_per_case, missing);
}

program find_launched(std::string const& transport, std::string const& folder, int ranks,
                      double seconds_per_case, std::string& missing) {
    if (is_on_devices(transport)) {
        auto const launcher = transport == "cuda-threads" ? "threads" : "processes";
        auto found = find_driver(transport, false, launcher, folder, seconds_per_case, missing);
        if (missing.empty()) { found.name += ": " + sharing_of_devices(transport, folder, ranks); }
        return found;
    }
    auto const dash = transport.find('-');
    auto const mpi = dash == transport.npos ? "" : transport.substr(dash + 1);
    launch_line line{mpi.empty() ? "collrun" : mpi, "", {as_rank, transport}, seconds_per_case};
    try {
        line.program = mpi.empty() ? own_path().string() : launched::twin_of("coll_perf", mpi);
    } catch (std::runtime_error const& e) {
        missing = fmt::format("{} cannot be measured: {}", transport, e.what());
    }
    return program_of(transport, false, std::move(line));
}

}  // namespace coll_perf
