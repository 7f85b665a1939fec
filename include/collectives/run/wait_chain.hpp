// SPDX-License-Identifier: BSD-3-Clause
// Says who waits for whom: from a rank to the one that it waits for, and on from there.
#pragma once

#include <collectives/core/compiled.hpp>
#include <collectives/core/wait_point.hpp>
#include <collectives/transport/any_board.hpp>

#include <string>

namespace collectives::inline v0::detail {

/// Adds to `text` the chain that begins with rank `first`, which waits at `at`, as far as the board
/// knows it, but no more than eight ranks: "rank 3 waits in round 2 of all_reduce #41 for rank 1,
/// which has not entered it".
void add_wait_chain(std::string& text, any_board const& board, rank_t first, wait_point at);

}  // namespace collectives::detail

#ifndef COLLECTIVES_COMPILED
#include <collectives/run/wait_chain.ipp>
#endif
