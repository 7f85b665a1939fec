// SPDX-License-Identifier: BSD-3-Clause
// coll_perf: measures collectives, and says how far the figures can be trusted.
#include "copies.hpp"
#include "host.hpp"
#include "job_member.hpp"
#include "options.hpp"
#include "output.hpp"
#include "peers.hpp"
#include "sizes.hpp"

#include "../launched/launched.hpp"
#include "../load/load.hpp"

#include <collectives/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string_view>

namespace coll_perf {
namespace {

/// Ours over each transport, with so many ranks each time.
struct ours_with {
    program what;
    int ranks = 0;
};

std::string folder_of(options const& o) {
    return o.peer_folder.empty() ? default_peer_folder() : o.peer_folder;
}

std::vector<ours_with> our_programs(options const& o, std::vector<int> const& numbers) {
    std::vector<ours_with> all;
    for (auto const& name : split_list(o.transport.empty() ? "shm" : o.transport)) {
        for (auto const n : numbers) {
            if (!is_launched(name)) {
                all.push_back({ours(name), n});
                continue;
            }
            std::string missing;
            all.push_back({find_launched(name, folder_of(o), n, o.seconds_per_case, missing), n});
            if (!missing.empty()) { throw std::runtime_error(missing); }
        }
    }
    return all;
}

std::vector<program> find_peers(options const& o) {
    std::vector<program> peers;
    for (auto const& name : o.peers.empty() ? std::vector<std::string>{} : split_list(o.peers)) {
        std::string missing;
        auto peer = find_peer(name, folder_of(o), o.seconds_per_case, missing);
        if (missing.empty()) {
            peers.push_back(std::move(peer));
        } else {
            fmt::print(stderr, "coll_perf: {}\n", missing);
        }
    }
    return peers;
}

int measure(options const& o) {
    auto how = settings_of(o);
    auto const numbers = rank_numbers(o.ranks.empty() ? "2" : o.ranks);
    for (auto const n : numbers) { require_places(plan(request_of(o), n), how); }
    auto const transports = our_programs(o, numbers);
    auto const peers = find_peers(o);
    std::vector<std::string> names;
    for (auto const& p : peers) { names.push_back(p.name); }
    bool const pins =
        how.pin && *std::max_element(numbers.begin(), numbers.end()) <= this_host().cores;
    output out(o, names,
               fmt::format("{} ranks, {}", fmt::join(numbers, ", "),
                           pins ? "each on a core of its own" : "not pinned"));
    for (int cycle = 0; cycle < o.cycles; ++cycle) {
        for (auto const& [transport, ranks] : transports) {
            how.ranks = ranks;
            auto c = out.make_campaign(how);
            c.programs = {transport};
            c.programs.insert(c.programs.end(), peers.begin(), peers.end());
            for (auto const& group : plan(request_of(o), ranks)) { c.run(group); }
            out.add(c);
        }
    }
    return out.finish();
}

}  // namespace
}  // namespace coll_perf

int main(int argc, char** argv) {
    if (argc > 2 && std::string_view(argv[1]) == coll_perf::as_rank) {
        return coll_perf::measure_order(argc, argv);
    }
    coll_perf::options options;
    CLI::App app{
        "Measures collectives over threads, processes or the ranks of a launcher, with the flags "
        "and the table of nccl-tests, beside other libraries and beside what the machine can do."};
    coll_perf::declare(app, options, coll_perf::says_osu(argc, argv));
    load::option(app);
    try {
        app.parse(argc, argv);
        return launched::by_launcher() ? coll_perf::measure_as_member(options, argv)
                                       : coll_perf::measure(options);
    } catch (CLI::ParseError const& e) {
        if (coll_perf::another_rank_tells()) { return 0; }
        return app.exit(e) == 0 ? 0 : 2;
    } catch (collectives::usage_error const& e) {
        fmt::print(stderr, "coll_perf: {}\n", e.what());
        return 2;
    } catch (coll_perf::no_device const& e) {
        fmt::print(stderr, "coll_perf: {}\n", e.what());
        return 77;
    } catch (std::exception const& e) {
        fmt::print(stderr, "coll_perf: {}\n", e.what());
        return 1;
    }
}
