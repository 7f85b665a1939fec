// SPDX-License-Identifier: BSD-3-Clause
// Random programs of collectives: compiled once, and run over any ranks.
#pragma once

#include <collectives/communicator.hpp>

#include <cstddef>
#include <functional>

namespace random_programs {

using rank_body = std::function<void(collectives::communicator&)>;

/// Runs COLLECTIVES_TEST_CASES random collectives, or else `otherwise`, or a few more, through
/// `run(size, f)`. Gives main's status.
int main_with(char const* name, std::function<void(int size, rank_body const&)> const& run,
              std::size_t otherwise = 2000);

}  // namespace random_programs
