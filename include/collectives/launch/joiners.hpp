// SPDX-License-Identifier: BSD-3-Clause
// Which transport a job is joined over.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/environment.hpp>
#include <collectives/launch/joiner.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace collectives::inline v0 {

namespace detail {

/// What the processes of one machine share.
inline reach reach_of_one_machine(job_place const& place) {
    if (on_several_machines(place)) { return reach::not_all; }
    auto const told = place.local_size >= 0 || agreed_number({"SLURM_STEP_NUM_NODES"}) >= 0;
    return told || place.size == 1 ? reach::all : reach::unknown;
}

/// The transport that is asked for by name; without a name the quickest that reaches all ranks, and
/// where none is known to, the quickest that may. `all` stands in the order of slowness. The same
/// on all ranks. Throws usage_error where there is none.
inline joiner const& chosen_joiner(std::span<joiner const> all, job_place const& place,
                                   std::string_view name) {
    std::string names;
    for (auto const& one : all) {
        if (name == one.transport) { return one; }
        names += text_of(" ", one.transport);
    }
    if (!name.empty()) {
        throw usage_error(text_of("COLLECTIVES_TRANSPORT is '", std::string(name),
                                  "', but this program can join a job over:", names));
    }
    for (auto const wanted : {reach::all, reach::unknown}) {
        auto const found = std::find_if(all.begin(), all.end(), [&](joiner const& one) {
            return one.reaches(place) == wanted;
        });
        if (found != all.end()) { return *found; }
    }
    throw usage_error(
        text_of("the ranks are on several machines, and no transport of this "
                "program reaches all of them; it has:",
                names));
}

/// Puts one where its slowness says.
inline void insert_joiner(std::vector<joiner>& all, joiner const& one) {
    auto const slower = std::find_if(
        all.begin(), all.end(), [&](joiner const& other) { return other.slowness > one.slowness; });
    all.insert(slower, one);
}

}  // namespace detail

}  // namespace collectives
