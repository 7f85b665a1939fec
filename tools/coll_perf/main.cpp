// SPDX-License-Identifier: BSD-3-Clause
// coll_perf: measures collectives, and says how far the figures can be trusted.
#include "effects.hpp"
#include "host.hpp"
#include "job_member.hpp"
#include "options.hpp"
#include "output.hpp"
#include "peers.hpp"
#include "placement.hpp"
#include "sizes.hpp"

#include "../launched/launched.hpp"
#include "../load/load.hpp"

#include <collectives/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace coll_perf {
namespace {

/// So many ranks, and where they run.
struct team {
    int ranks = 0;
    std::vector<binding::place> places;
};

/// Ours over a transport.
struct ours_with {
    program what;
    team ranks;
};

std::string folder_of(options const& o) {
    return o.peer_folder.empty() ? default_peer_folder() : o.peer_folder;
}

/// Tells on stderr, where that is asked for, where the ranks run.
std::vector<team> teams_of(options const& o, std::vector<int> const& numbers) {
    std::vector<team> all;
    for (auto const n : numbers) {
        all.push_back({n, places_for(o.bind, n)});
        for (int r = 0; o.report_bindings && r < n; ++r) {
            auto const& places = all.back().places;
            fmt::print(stderr, "coll_perf: rank {} of {} runs on {}\n", r, n,
                       places.empty() ? "any processor" : places[static_cast<std::size_t>(r)].name);
        }
    }
    return all;
}

std::string head_of(std::vector<team> const& all) {
    std::vector<std::string> parts;
    for (auto const& t : all) {
        parts.push_back(
            fmt::format("{} rank{}, {}", t.ranks, t.ranks == 1 ? "" : "s", shown(t.places)));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<ours_with> our_programs(options const& o, std::vector<team> const& teams) {
    std::vector<ours_with> all;
    for (auto const& name : split_list(o.transport.empty() ? "shm" : o.transport)) {
        require_loop_over(o, name);
        for (auto const& t : teams) {
            if (!is_launched(name)) {
                all.push_back({ours(name), t});
                continue;
            }
            std::string missing;
            all.push_back(
                {find_launched(name, folder_of(o), t.ranks, o.seconds_per_case, missing), t});
            if (!missing.empty()) { throw std::runtime_error(missing); }
        }
    }
    return all;
}

std::vector<program> find_peers(options const& o) {
    std::vector<program> peers;
    for (auto const& name : o.peers.empty() ? std::vector<std::string>{} : split_list(o.peers)) {
        require_same_memory(name, split_list(o.transport.empty() ? "shm" : o.transport));
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
    auto const teams = teams_of(o, numbers);
    auto const transports = our_programs(o, teams);
    auto const peers = find_peers(o);
    std::vector<std::string> names;
    for (auto const& p : peers) { names.push_back(p.name); }
    output out(o, names, head_of(teams));
    for (int cycle = 0; cycle < o.cycles; ++cycle) {
        for (auto const& [transport, ranks] : transports) {
            how.ranks = ranks.ranks;
            how.places = ranks.places;
            auto c = out.make_campaign(how);
            c.programs = {transport};
            c.programs.insert(c.programs.end(), peers.begin(), peers.end());
            for (auto const& group : plan(request_of(o), how.ranks)) { c.run(group); }
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
        coll_perf::require_effects(app, options);
        options.command.assign(argv, argv + argc);
        return options.start_ranks || !launched::by_launcher()
                   ? coll_perf::measure(options)
                   : coll_perf::measure_as_member(options, argv);
    } catch (CLI::ParseError const& e) {
        if (!coll_perf::says_start_ranks(argc, argv) && coll_perf::another_rank_tells()) {
            return 0;
        }
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
