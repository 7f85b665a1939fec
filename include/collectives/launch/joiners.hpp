// SPDX-License-Identifier: BSD-3-Clause
// Chooses the transport over which a job is joined.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/environment.hpp>
#include <collectives/launch/joiner.hpp>

#include <string>
#include <string_view>

namespace collectives::inline v0::detail {

/// How far memory reaches that only the processes of one machine share.
inline reach reach_of_one_machine(job_place const& place) {
    if (on_several_machines(place)) { return reach::not_all; }
    auto const told = place.local_size >= 0 || agreed_number({"SLURM_STEP_NUM_NODES"}) >= 0;
    return told || place.size == 1 ? reach::all : reach::unknown;
}

/// The transport of this name. Without a name: the quickest transport that reaches all ranks, or,
/// if none is known to, the quickest that may. `all` is sorted by slowness. The same on all ranks.
/// Throws usage_error where there is no such transport.
inline joiner const& chosen_joiner(lean_vector<joiner> const& all, job_place const& place,
                                   std::string_view name) {
    std::string names;
    for (auto const& one : all) {
        if (name == one.transport) { return one; }
        add_text(names, " ", one.transport);
    }
    if (!name.empty()) {
        throw_error<usage_error>("COLLECTIVES_TRANSPORT is '", std::string(name),
                                 "', but this program can join a job over:", names);
    }
    for (auto const wanted : {reach::all, reach::unknown}) {
        for (auto const& one : all) {
            if (one.reaches(place) == wanted) { return one; }
        }
    }
    throw_error<usage_error>(
        "the ranks are on several machines, and no transport of this "
        "program reaches all of them; it has:",
        names);
}

/// Inserts one in the order of slowness.
inline void insert_joiner(lean_vector<joiner>& all, joiner const& one) {
    all.insert(all.find_if([&](joiner const& other) { return other.slowness > one.slowness; }),
               one);
}

}  // namespace collectives::detail
