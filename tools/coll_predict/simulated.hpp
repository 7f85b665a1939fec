// SPDX-License-Identifier: BSD-3-Clause
// Times from a simulation of all steps, with late ranks and slow links.
#pragma once

#include "prices.hpp"

#include <cstdint>
#include <string>

namespace coll_predict {

/// With `p.simulated`. O(S log S) time for S steps; each question is simulated once.
double simulated_seconds(coll::any_algorithm a, int size, std::int64_t bytes, prices const& p);

/// Adds "RANK:SECONDS" to the late ranks. Throws usage_error.
void add_late(coll::loggp& network, std::string const& text);

/// Adds "FROM-TO:FACTOR" to the slow links. Throws usage_error.
void add_slow(coll::loggp& network, std::string const& text);

}  // namespace coll_predict
