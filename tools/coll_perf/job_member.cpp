// SPDX-License-Identifier: BSD-3-Clause
#include "job_member.hpp"

#include "host.hpp"
#include "job_meeting.hpp"
#include "job_peers.hpp"
#include "order.hpp"
#include "output.hpp"
#include "peers.hpp"
#include "placement.hpp"
#include "ranks/ours.hpp"
#include "ranks/transports.hpp"
#include "sizes.hpp"

#include "../launched/launched.hpp"
#include "../load/inherit.hpp"

#include <collectives/core/error.hpp>
#include <collectives/launch/environment.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <optional>

namespace coll_perf {
namespace {

using coll::usage_error;

/// A mistake that all ranks make: rank 0 tells it. The variable may be of a launcher that has
/// started a shell, or a container, in which coll_perf is to start its ranks.
usage_error wrong_under_launcher(std::string const& text) {
    return usage_error(fmt::format(
        "{}; {} is set, so this is one rank of a launcher's (with --start-ranks coll_perf starts "
        "its ranks itself all the same)",
        text, launched::variable_of_launcher()));
}

coll::job_place place_of_this_rank() try {
    return coll::place_from_environment();
} catch (usage_error const& e) { throw wrong_under_launcher(e.what()); }

/// What no rank of a launcher's can do.
void refuse_transport(std::string const& name) {
    constexpr std::array<std::string_view, 12> all{
        "",          "join",      "shm",         "ucx",         "hosts",         "mpi",
        "hosts-mpi", "mpi-mpich", "mpi-openmpi", "hosts-mpich", "hosts-openmpi", "cuda"};
    if (std::find(all.begin(), all.end(), name) != all.end()) { return; }
    throw wrong_under_launcher(fmt::format(
        "--transport {}: under a launcher there are mpi, ucx, shm, hosts, hosts-mpi, cuda and join",
        name));
}

/// The transport's full name, after this program has gone on as the one that can do it.
std::string transport_here(options const& o, char** arguments) {
    auto name = o.transport;
    if (name.empty()) { name = launched::mpi_of_launcher().empty() ? "join" : "mpi"; }
    if (name == "join") { return launched::transport_of_join(); }
    if (!name.starts_with("mpi") && !name.starts_with("hosts-")) { return name; }
    launched::become_program_of_mpi("coll_perf", arguments);
    auto const full = name.substr(0, name.find('-')) + "-" + launched::mpi_of_this_program();
    if (name != "mpi" && name != "hosts-mpi" && name != full) {
        throw std::runtime_error(
            fmt::format("--transport {}: the launcher's MPI is that of {}", name, full));
    }
    return full;
}

/// What only a coll_perf that starts its ranks itself can do.
void refuse_launches(options const& o) {
    auto const refuse = [](char const* flag) {
        throw wrong_under_launcher(
            fmt::format("{} is for a coll_perf that starts its ranks itself", flag));
    };
    if (o.launches > 1) { refuse("--launches"); }
}

/// Where the ranks run. Collective.
std::vector<rank_place> tell_places(coll::communicator& comm, options const& o) {
    auto const all = places_of_all(comm);
    if (o.bind == "core" && !has_core_each(all)) {
        throw std::runtime_error("--bind core: the launcher has put several ranks on one core");
    }
    for (int r = 0; o.report_bindings && comm.rank() == 0 && r < comm.size(); ++r) {
        auto const& its = all[static_cast<std::size_t>(r)];
        fmt::print(stderr, "coll_perf: rank {} of {} runs on {} of {}\n", r, comm.size(),
                   its.name.data(), its.host.data());
    }
    return all;
}

/// The first `n` ranks, on each of them; null on the others. Collective.
std::optional<coll::communicator> first_ranks(coll::communicator& all, int n) {
    auto part = all.split(all.rank() < n ? 0 : 1, all.rank());
    if (all.rank() < n) { return part; }
    return {};
}

struct work {
    options const& asked;
    std::string transport;
    std::vector<int> numbers;
    bool core_per_rank = false;
    output* out = nullptr;  ///< rank 0's
};

/// All cases over the ranks of one communicator.
void measure_over(job_rank const& me, work const& w) {
    auto how = settings_of(w.asked);
    how.ranks = me.comm.size();
    job_meeting place(me.comm, how, w.asked.meet == "memory", w.core_per_rank);
    auto const groups = plan(request_of(w.asked), how.ranks);
    job_peers const peers(w.asked);
    auto const measure = [&](std::string const& program, auto const& cases, auto const& tell) {
        if (program != w.transport || is_on_devices(program)) {
            return peers.measure(program, me, place, how, cases, tell);
        }
        place.on([&](auto& board) { measure_on_rank(me, board, how, cases, tell); });
    };
    std::vector<program> programs{{w.transport, false, {}}};
    for (auto const& name : peers.names()) { programs.push_back({name, true, {}}); }
    if (w.out == nullptr) {
        for (auto const& group : groups) {
            for (auto const& part : launches_of(group, programs.size() > 1)) {
                for (auto const& p : programs) { measure(p.name, part, tell_function{}); }
            }
        }
        return;
    }
    if (!place.in_memory()) {
        fmt::print("# ranks meet by messages, and the trip is one of a message\n");
    }
    auto c = w.out->make_campaign(how);
    c.programs = programs;
    c.in_place = [&](program const& p, auto const& cases, auto const& take) {
        measure(p.name, cases, [&](std::string const& line) { take(line); });
    };
    for (auto const& group : groups) { c.run(group); }
    w.out->add(c);
}

int measure_as_rank(job_rank const& me, work w) {
    std::optional<output> out;
    if (is_on_devices(w.transport)) { w.transport = name_on_devices(me.comm, w.asked); }
    auto const places = tell_places(me.comm, w.asked);
    if (places.front().of == binding::unit::core && !has_core_each(places)) {
        w.core_per_rank = false;  // the launcher has put several on one
    }
    if (me.comm.rank() == 0) {
        auto const by_mpi =
            !is_on_devices(w.transport) && w.transport.find('-') != std::string::npos;
        auto const via =
            !by_mpi ? w.transport : w.transport + " (" + launched::version_of_mpi() + ")";
        out.emplace(
            w.asked, job_peers(w.asked).names(),
            fmt::format("{} ranks of a launcher over {}, {}", me.comm.size(), via, shown(places)));
        w.out = &*out;
    }
    auto numbers = w.numbers;
    for (int cycle = 1; cycle < w.asked.cycles; ++cycle) {
        numbers.insert(numbers.end(), w.numbers.begin(), w.numbers.end());
    }
    for (auto const n : numbers) {
        me.comm.barrier({.timeout = coll::timeout::never});  // the last ones had no part
        if (n == me.comm.size()) {
            measure_over(me, w);
        } else if (auto part = first_ranks(me.comm, n)) {
            measure_over({*part, me.seconds}, w);
        }
    }
    std::array<int, 1> status{out ? out->finish() : 0};
    me.comm.broadcast(status, 0, {.timeout = coll::timeout::never});
    return status[0];
}

/// Finds mistakes in the command line, which all ranks have: rank 0 throws a usage_error, the
/// others get false. They must not fail: the launcher might end rank 0 before it has told.
bool is_right(work& w, coll::job_place const& place) try {
    refuse_launches(w.asked);
    w.numbers = w.asked.ranks.empty() ? std::vector<int>{place.size} : rank_numbers(w.asked.ranks);
    for (auto const n : w.numbers) {
        if (n > place.size) {
            throw wrong_under_launcher(
                fmt::format("--ranks {}: the launcher has started {}", n, place.size));
        }
        require_places(plan(request_of(w.asked), n), w.asked.how);
    }
    refuse_transport(w.asked.transport);
    auto const& over = w.asked.transport;
    bool const by_mpi = over.empty() && !launched::mpi_of_launcher().empty();
    require_loop_over(w.asked, by_mpi ? "mpi" : over.empty() ? "join" : over);
    if (auto const why = why_no_peers(w.asked); !why.empty()) { throw wrong_under_launcher(why); }
    return true;
} catch (usage_error const&) {
    if (place.rank == 0) { throw; }
    return false;
}

}  // namespace

int measure_as_member(options o, char** arguments) {
    auto const place = place_of_this_rank();
    work w{o, {}, {}, false, nullptr};
    if (!is_right(w, place)) { return 0; }
    try {  // what goes wrong from here on, this rank alone may meet
        w.transport = transport_here(o, arguments);
        static_cast<void>(this_host());  // before this rank is on one core
        w.core_per_rank = take_place(place, o.bind);
        int status = 1;
        join_over(
            is_on_devices(w.transport) ? launched::transport_of_join() : w.transport,
            [&](job_rank const& me) { status = measure_as_rank(me, w); },
            settings_of(o).background);
        return status;
    } catch (std::exception const& e) {
        throw std::runtime_error(fmt::format("rank {}: {}", place.rank, e.what()));
    }
}

bool another_rank_tells() {
    try {
        return launched::by_launcher() && coll::place_from_environment().rank != 0;
    } catch (usage_error const&) { return false; }
}

int measure_order(int argc, char** argv) try {
    auto const o = order::read(argc, argv, 3);
    std::string const transport = argv[2];
    load::inherit();
    // Before there is a communicator, which looks at its start how many cores it may use.
    if (!transport.ends_with("mpich") && !transport.ends_with("openmpi")) {
        bind_rank(o.how.places, coll::place_from_environment().rank);
    }
    auto const measure = [&](job_rank const& me) {
        auto meeting = o.meet(me.comm.size());
        measure_on_rank(me, meeting, o.how, o.cases,
                        [](std::string const& line) { std::cout << line << std::endl; });
    };
    join_over(transport, measure, o.how.background);
    return 0;
} catch (std::exception const& e) {
    std::cerr << e.what() << std::endl;
    return 1;
}

}  // namespace coll_perf
