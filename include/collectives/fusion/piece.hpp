// SPDX-License-Identifier: BSD-3-Clause
// A tensor in a bucket.
#pragma once

#include <cstddef>
#include <cstdint>

namespace collectives {

struct fused_piece {
    std::byte* data = nullptr;
    std::size_t count = 0;    // elements
    std::uint64_t index = 0;  // how many tensors were added before it
};

}  // namespace collectives
