// SPDX-License-Identifier: BSD-3-Clause
// What tensor fusion must do whatever carries the ranks. Each test is compiled once, and runs over
// any world.
#pragma once

#include <conformance/world.hpp>

namespace fusion_tests {

// results.cpp
void every_threshold(conformance::world const& over);
void handles(conformance::world const& over);
void operators(conformance::world const& over);
void compressed(conformance::world const& over);
void same_bits(conformance::world const& over);
// priorities.cpp
void priorities(conformance::world const& over);
void uneven_ranks(conformance::world const& over);

}  // namespace fusion_tests
