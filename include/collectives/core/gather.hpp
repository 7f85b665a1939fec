// SPDX-License-Identifier: BSD-3-Clause
// Copies many ranges of a device's memory to one place and back.
#pragma once

#include <cstddef>

namespace collectives::inline v0 {

/// A range of a tensor, and its place in the bucket. Counts are elements.
struct gather_piece {
    std::byte* tensor = nullptr;
    std::size_t first = 0;  // in the bucket
    std::size_t count = 0;

    friend constexpr bool operator==(gather_piece const&, gather_piece const&) = default;
};

/// One pass over all pieces.
struct gather_call {
    gather_piece const* pieces = nullptr;  // in memory that the device reads
    std::size_t n = 0;
    std::byte* bucket = nullptr;
    bool back = false;  // from the bucket into the tensors
};

/// Enqueues the call; `queue` is what `reduction::queue` is.
using gather_function = void (*)(gather_call const&, void* queue);

}  // namespace collectives
