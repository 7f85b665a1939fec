// SPDX-License-Identifier: BSD-3-Clause
// A message of a call, as a bare loop moves it.
#pragma once

#include <cstddef>
#include <vector>

namespace launched {

/// One message of a rank.
struct loop_message {
    bool sends = false;
    int peer = 0, tag = 0;
    std::size_t bytes = 0;
    /// Receives before it in the list that must have come before it is posted.
    std::vector<std::size_t> after;
};

}  // namespace launched
