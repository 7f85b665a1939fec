// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite: what must hold whatever carries the ranks. Each test is compiled once, and
// runs over any world.
#pragma once

#include <collectives/core/fingerprint.hpp>

#include <conformance/world.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

namespace conformance {

// collectives.cpp
void every_collective(world const& w);
void every_root(world const& w);
void every_element(world const& w);
// counts.cpp
void any_cut(world const& w);
// places.cpp
void any_places(world const& w);
// gaps.cpp
void untouched_gaps(world const& w);
// started.cpp
void several_under_way(world const& w);
void run_several(coll::communicator& comm, std::uint64_t seed, bool by_test);
void ends_of_calls(world const& w);
void planned_calls(world const& w);
void calls_that_go_on_alone(world const& w);
void all_ranges(world const& w);
// messages.cpp
void messages_between_two(world const& w);
void probes(world const& w);
void exchanges(world const& w);
void barriers(world const& w);
// groups.cpp
void groups(world const& w);
void groups_at_once(world const& w);
void threads_of_a_rank(world const& w);
// bits.cpp
void equal_bits(world const& w);
void reproducible(world const& w);
// scans.cpp
void scans(world const& w);
// types.cpp
void integers(world const& w);
void floating_point(world const& w);
void own_types(world const& w);
void not_a_number(world const& w);
void rounding(world const& w);
// usage.cpp
void mistakes(world const& w);
// adaptors.cpp
void counted_bytes(world const& w);
void traced_steps(world const& w);
// large.cpp: one rank's part
void large_vectors(coll::communicator& comm);

/// Runs a test over the first world, and over each other one on one of two days.
inline void over_each(std::initializer_list<world> worlds, void (*test)(world const&)) {
    auto const name = coll::hash_text(doctest::getContextOptions()->currentTest->m_name);
    for (auto const& w : worlds) {
        auto const key = name + coll::hash_text(w.name);
        if (&w != worlds.begin() && !is_in_sample(key, 2)) { continue; }
        SUBCASE(w.name) { test(w); }
    }
}

}  // namespace conformance
