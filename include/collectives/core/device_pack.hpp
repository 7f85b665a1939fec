// SPDX-License-Identifier: BSD-3-Clause
// Copies many ranges of a device's memory to one place and back.
#pragma once

#include <cstddef>

namespace collectives::inline v0 {

/// A range of a tensor, and its place in the bucket. Counts are elements.
struct packed_range {
    std::byte* tensor = nullptr;
    std::size_t first = 0;  // in the bucket
    std::size_t count = 0;

    friend constexpr bool operator==(packed_range const&, packed_range const&) = default;
};

/// One pass over all ranges.
struct pack_task {
    packed_range const* ranges = nullptr;  // in memory that the device reads
    std::size_t n = 0;
    std::byte* bucket = nullptr;
    bool back = false;  // from the bucket into the tensors
};

/// Enqueues the task; `queue` is what `reduction::queue` is.
using pack_function = void (*)(pack_task const&, void* queue);

}  // namespace collectives
