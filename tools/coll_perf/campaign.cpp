// SPDX-License-Identifier: BSD-3-Clause
#include "campaign.hpp"

#include "host.hpp"
#include "sample_board.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace coll_perf {
namespace {

bool same_size(measured_case const& a, measured_case const& b) { return a.count == b.count; }

}  // namespace

std::vector<case_group> launches_of(case_group const& group, bool take_turns) {
    if (!take_turns) { return {group}; }
    std::vector<case_group> parts;
    for (auto const& c : group) {
        if (parts.empty() || !same_size(parts.back().back(), c)) { parts.emplace_back(); }
        parts.back().push_back(c);
    }
    return parts;
}

void campaign::run(case_group const& group) {
    if (programs.size() == 1 && launches == 1) {
        std::vector<measurement const*> row;
        std::size_t done = 0;
        run_launch_of(programs.front(), 0, group, [&] {
            row.push_back(&all.back());
            ++done;
            if (done < group.size() && same_size(group[done], group[done - 1])) { return; }
            on_size(row);
            row.clear();
        });
        return;
    }
    for (auto const& part : launches_of(group, true)) {
        auto const before = all.size();
        int may_repeat = 2 * launches;
        for (int launch = 0; launch < launches;) {
            auto const begin = all.size();
            for (auto const& p : programs) {
                run_launch_of(p, launch, part, [] {});
            }
            if (!in_place && repeats_in_vain_ < 2 && may_repeat > 0 &&
                met_different_distances(begin)) {
                all.resize(begin);
                ++repeated;
                if (--may_repeat == 0) { ++repeats_in_vain_; }
            } else {
                ++launch;
            }
        }
        std::vector<measurement const*> row;
        for (auto i = before; i < all.size(); ++i) { row.push_back(&all[i]); }
        on_size(row);
    }
}

bool campaign::met_different_distances(std::size_t first) const {
    if (how.ranks > this_host().cores) { return false; }
    double shortest = 0, longest = 0;
    for (auto i = first; i < all.size(); ++i) {
        if (all[i].wrong > 0) { return false; }  // that must be told
        auto const trip = all[i].round_trip;
        if (!(trip > 0) || all[i].pinned < how.ranks) { continue; }  // who wanders has no distance
        shortest = shortest > 0 ? std::min(shortest, trip) : trip;
        longest = std::max(longest, trip);
    }
    return longest > same_distance_within * shortest;
}

launch_end campaign::launch_of(program const& p, std::vector<measured_case> const& cases,
                               std::function<bool(std::string const&)> const& take) const {
    if (in_place) {
        in_place(p, cases, take);
        return {};
    }
    meeting_place const place(board::bytes_for(how.ranks, how.iterations));
    return run_launch([&](int descriptor) { return p.start(descriptor, place, how, cases); },
                      seconds_per_case * static_cast<double>(cases.size()), take);
}

void campaign::run_launch_of(program const& p, int launch, std::vector<measured_case> const& cases,
                             std::function<void()> const& after_each) {
    std::vector<bool> seen(cases.size());
    if (auto const why = given_up_.find(p.name); why != given_up_.end()) {
        note_missing(p, launch, cases, seen, why->second);
        return;
    }
    auto const progress = [&](std::size_t next) {
        auto const& c = cases[std::min(next, cases.size() - 1)];
        on_progress(fmt::format("{}: {} {} {} {}, {} bytes, launch {} of {}", p.name, c.collective,
                                c.algorithm, c.type, c.op, c.bytes(), launch + 1, launches));
    };
    progress(0);
    std::map<std::size_t, traced_call> traced;
    auto const end = launch_of(p, cases, [&](std::string const& line) {
        if (traced_call call; how.trace && read_traced(line, call)) {
            traced[call.index] = std::move(call);
            return true;
        }
        case_result r;
        if (!read_result(line, r) || r.index >= cases.size() || seen[r.index]) { return false; }
        seen[r.index] = true;
        auto what = cases[r.index];
        if (p.peer) { what.algorithm = "its own"; }
        if (r.missing.empty()) {
            auto const of = r.index;
            all.push_back(make_measurement(p.name, p.peer, what, how, launch, std::move(r)));
            if (auto const found = traced.find(of); found != traced.end()) {
                on_trace(std::move(found->second), p, what, all.back().time.median);
            }
        } else {
            all.push_back(make_missing(p.name, p.peer, what, how, launch, r.missing));
            failed = failed || !p.peer;
        }
        after_each();
        progress(static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true)));
        return true;
    });
    switch (end.how) {
        case launch_end::how::well: note_missing(p, launch, cases, seen, "does not have it"); break;
        case launch_end::how::out_of_time:
            if (p.peer) { given_up_[p.name] = "did not finish"; }
            note_missing(p, launch, cases, seen, "did not finish");
            on_trouble(fmt::format("{} did not finish in {:g} seconds per measurement{}\n", p.name,
                                   seconds_per_case, p.peer ? "; it is not asked any more" : ""));
            break;
        case launch_end::how::failed:
            if (p.peer) { given_up_[p.name] = "failed"; }
            note_missing(p, launch, cases, seen, "failed");
            on_trouble(fmt::format("{} failed: {}\n", p.name, end.said));
            break;
    }
    bool const all_seen = std::find(seen.begin(), seen.end(), false) == seen.end();
    if (!p.peer && (end.how != launch_end::how::well || !all_seen)) { failed = true; }
}

void campaign::note_missing(program const& p, int launch, std::vector<measured_case> const& cases,
                            std::vector<bool> const& seen, std::string const& why) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (seen[i]) { continue; }
        auto what = cases[i];
        if (p.peer) { what.algorithm = "its own"; }
        all.push_back(make_missing(p.name, p.peer, what, how, launch, why));
    }
}

}  // namespace coll_perf
