// SPDX-License-Identifier: BSD-3-Clause
#include "placement.hpp"

#include "cores.hpp"

#include <collectives/core/processors.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>

namespace coll_perf {
namespace {

using binding::unit;

/// As "0-3, 8".
std::string ranges(std::set<unsigned> const& numbers) {
    std::vector<std::string> parts;
    for (auto at = numbers.begin(); at != numbers.end();) {
        auto const first = *at;
        auto last = first;
        while (++at != numbers.end() && *at == last + 1) { ++last; }
        parts.push_back(first == last ? fmt::format("{}", first)
                                      : fmt::format("{}-{}", first, last));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string shown(unit of, std::set<unsigned> const& numbers) {
    auto const list = ranges(numbers);
    auto const* const s = numbers.size() > 1 ? "s" : "";
    if (of == unit::core) { return fmt::format("each on a core of its own (core{} {})", s, list); }
    return fmt::format("on NUMA node{} {}", s, list);
}

template <std::size_t N>
void put(std::string const& text, std::array<char, N>& to) {
    text.copy(to.data(), N - 1);
}

std::string host_name() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

}  // namespace

std::vector<binding::place> places_for(std::string const& bind, int ranks) {
    return bind.empty() ? binding::cores_if_enough(ranks)
                        : binding::places(binding::parse_unit(bind), ranks);
}

std::string shown(std::vector<binding::place> const& places) {
    if (places.empty()) { return "not bound"; }
    std::set<unsigned> numbers;
    for (auto const& p : places) { numbers.insert(p.number); }
    return shown(places.front().of, numbers);
}

bool take_place(collectives::job_place const& place, std::string const& bind) {
    bool const known = place.local_rank >= 0 && place.local_size >= 0;
    if (!known) {
        if (bind.empty() || bind == "none") { return false; }
        throw std::runtime_error(
            fmt::format("--bind {}: the launcher does not say how many ranks this host has", bind));
    }
    if (bind != "numa" && on_one_core() && place.local_size <= ::sysconf(_SC_NPROCESSORS_ONLN)) {
        return true;
    }
    bool const enough = place.local_size <= collectives::usable_processors();
    bind_rank(places_for(bind, place.local_size), place.local_rank);
    return enough;
}

std::vector<rank_place> places_of_all(collectives::communicator& comm) {
    auto const here = binding::here();
    std::array<rank_place, 1> mine;
    put(host_name(), mine[0].host);
    put(here.name, mine[0].name);
    mine[0].of = here.of;
    mine[0].number = here.number;
    std::vector<rank_place> all(static_cast<std::size_t>(comm.size()));
    comm.all_gather(std::span<rank_place const>(mine), std::span(all));
    return all;
}

bool has_core_each(std::vector<rank_place> const& all) {
    std::set<std::pair<std::string, unsigned>> cores;
    return std::all_of(all.begin(), all.end(), [&](rank_place const& r) {
        return r.of == unit::core && cores.emplace(r.host.data(), r.number).second;
    });
}

std::string shown(std::vector<rank_place> const& all) {
    std::map<std::string, std::set<unsigned>> of_host;
    for (auto const& r : all) {
        if (r.of == unit::none || r.of != all.front().of) { return "not bound"; }
        of_host[r.host.data()].insert(r.number);
    }
    bool const share_cores = all.front().of == unit::core && !has_core_each(all);
    std::vector<std::string> parts;
    for (auto const& [host, numbers] : of_host) {
        auto const cores =
            share_cores ? "sharing cores " + ranges(numbers) : shown(all.front().of, numbers);
        parts.push_back(of_host.size() > 1 ? cores + " of " + host : cores);
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace coll_perf
