// SPDX-License-Identifier: BSD-3-Clause
// Between programs of MSCCL, which have threadblocks and dependences, and schedules, which have
// rounds.
#pragma once

#include "program.hpp"

#include <collectives/schedule/schedule.hpp>

#include <span>
#include <string>
#include <vector>

namespace coll_msccl {

/// The schedules of all ranks. A message is in the earliest round that its data allow: in a later
/// one than what its sender received into the chunks before, and than what its receiver copied into
/// them before. What MSCCL adds one after the other, with nothing read between, may share a round,
/// and is one sum in the order of the ranks here. Throws std::runtime_error where a send and a
/// receive do not meet, where two operations on a chunk have no order, where no rounds exist, and
/// where there is too much: 30,000 operations, or 4,000,000 pairs of them that touch the same
/// chunk.
std::vector<coll::schedule> schedules_of(program const& of);

/// The XML of schedules of an all-reduce that the checker has found right. Each rank has one
/// threadblock per peer to send to and one per peer to receive from. MSCCL adds what arrives one
/// after the other, its own value first: so a sum of more than two has another bracket there.
std::string as_xml(std::span<coll::schedule const> ranks, std::string const& name);

/// A header that defines the class `type`, an algorithm for these ranks alone. `origin` is told in
/// its first comment.
std::string as_header(std::span<coll::schedule const> ranks, std::string const& type,
                      std::string const& origin);

}  // namespace coll_msccl
