// SPDX-License-Identifier: BSD-3-Clause
// Says in a sentence what happens in a round.
#pragma once

#include "simulation.hpp"

#include <string>
#include <string_view>

namespace coll_show {

/// `every rank i -> i + 1 (mod 4), 1 chunk each, added`.
std::string describe(simulation const& sim, int round);

/// What a collective's vector is cut into: chunks of the algorithm's choice, or blocks of the
/// ranks.
std::string_view part_of(coll::collective what);

/// `3`, `2..5`, `6..7,0..1`: a range of chunks, which may wrap around the end.
std::string label(coll::chunk_range range, int chunks);

}  // namespace coll_show
