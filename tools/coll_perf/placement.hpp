// SPDX-License-Identifier: BSD-3-Clause
// Where ranks are to run, and what people are told of it.
#pragma once

#include "../collrun/binding.hpp"

#include <collectives/communicator.hpp>
#include <collectives/launch/environment.hpp>

#include <array>
#include <string>
#include <vector>

namespace coll_perf {

/// The places of ranks of this host as --bind says; empty where they are not bound. Without a word
/// that is a core each, where there are enough. Throws std::runtime_error where there are too few.
std::vector<binding::place> places_for(std::string const& bind, int ranks);

/// Binds this rank as --bind says, if the launcher has not put it on a core already. Whether each
/// rank of the host has a processor then.
bool take_place(collectives::job_place const& place, std::string const& bind);

/// As "each on a core of its own (cores 0-3)".
std::string shown(std::vector<binding::place> const& places);

/// Where a rank says it runs.
struct rank_place {
    std::array<char, 64> host{};
    std::array<char, 128> name{};
    binding::unit of = binding::unit::none;
    unsigned number = 0;
};
/// Of all ranks, on each of them. Collective.
std::vector<rank_place> places_of_all(collectives::communicator& comm);
/// Whether no rank shares its core.
bool has_core_each(std::vector<rank_place> const& all);
/// As the other, by hosts where they are several.
std::string shown(std::vector<rank_place> const& all);

}  // namespace coll_perf
