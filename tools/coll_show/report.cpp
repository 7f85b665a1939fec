// SPDX-License-Identifier: BSD-3-Clause
// Finds an algorithm, and says what was counted and proved of it.
#include "report.hpp"

#include "append.hpp"

#include "../algorithms.hpp"

#include <algorithm>
#include <array>

namespace coll_show {

std::string human_bytes(std::size_t bytes) {
    if (bytes < 1024) { return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s"); }
    constexpr std::array units{"KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < units.size(); ++unit) { value /= 1024; }
    return fmt::format("{:.4g} {}", value, units[unit]);
}

std::string algorithm_list() {
    std::string names;
    for (auto const a : known_algorithms()) {
        append(names, "{}{}, ", a.name(), a.has_parameter() ? ":NUMBER" : "");
    }
    return fmt::format("{}{}:RANKS_PER_HOST, {}:RANKS_PER_DEVICE", names, coll::hierarchical::name,
                       coll::leaders::name);
}

coll::any_algorithm find_algorithm(std::string const& name) {
    auto const known = known_algorithms();
    auto const is_known = [&](auto const a) { return !a.has_parameter() && a.name() == name; };
    auto const has_parameter = name.find(':') != name.npos;
    if (!has_parameter && std::none_of(known.begin(), known.end(), is_known)) {
        throw bad_usage(fmt::format("there is no algorithm \"{}\"; the algorithms are {}", name,
                                    algorithm_list()));
    }
    return coll::parse_algorithm(name);
}

coll::collective find_collective(std::string const& name) {
    std::string names;
    for (auto const what : coll::scheduled_collectives) {
        if (coll::name(what) == name) { return what; }
        append(names, "{}{}", names.empty() ? "" : ", ", coll::name(what));
    }
    throw bad_usage(
        fmt::format("there is no collective \"{}\"; the collectives are {}", name, names));
}

std::vector<property> properties(report const& shown) {
    auto const& p = shown.proof;
    if (!p.ok || !coll::reduces(shown.what)) { return {}; }
    auto const either = [](bool holds, char const* name, char const* yes, char const* no) {
        return property{holds, name, holds ? yes : no};
    };
    std::vector<property> all{
        either(p.ok, "same bits on all ranks", "every rank gets the sum of the same additions", ""),
        either(p.order_preserving, "order-preserving", "operators need not commute",
               "only for operators that commute"),
        either(p.position_independent, "position-independent",
               "an element's bits do not depend on where it stands in the vector",
               "an element's bits depend on where it stands in the vector"),
        either(p.left_fold, "left fold", "one sum in rank order, rounded once: .reproducible",
               "not one sum in rank order, so not for .reproducible")};
    if (coll::is_prefix(shown.what)) { all.erase(all.begin()); }  // each rank has its own sum
    return all;
}

std::string proof_means(report const& shown) {
    auto const* const result = shown.what == coll::collective::scan
                                   ? "Every result holds the contributions of the ranks up to its "
                                     "own exactly once"
                               : shown.what == coll::collective::exscan
                                   ? "Every result holds the contributions of the ranks before its "
                                     "own exactly once"
                               : coll::reduces(shown.what)
                                   ? "Every result holds every contribution exactly once"
                                   : "Every block reaches its place";
    return fmt::format("{}; all sends meet their receives; no timing can block or disturb it.",
                       result);
}

std::vector<cost_line> cost_lines(report const& shown) {
    auto const& c = shown.cost;
    auto const n = [](int rounds) { return static_cast<std::size_t>(rounds); };
    std::vector<cost_line> lines{
        {"rounds", n(c.rounds), n(c.bound.rounds), true},
        {"sent by the busiest rank", c.busiest.sent, c.bound.sent, true},
        {"received by the busiest rank", c.busiest.received, 0, false},
        {"reduced by the busiest rank", c.busiest.reduced, c.bound.reduced, true},
        {"bytes in sequence", c.critical.bytes, c.bound.sent,
         shown.what == coll::collective::all_reduce},
        {"reduced in sequence", c.critical.reduced, c.bound.reduced, true},
        {"sent by all ranks together", c.total, 0, false}};
    if (!coll::reduces(shown.what)) {
        std::erase_if(lines,
                      [](auto const& l) { return l.name.find("reduced") != std::string::npos; });
    }
    return lines;
}

}  // namespace coll_show
