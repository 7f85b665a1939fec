// SPDX-License-Identifier: BSD-3-Clause
// Copies in a device's memory: to any places, and many ranges to one place and back.
#pragma once

#include <cstddef>
#include <span>

namespace collectives::inline v0 {

/// One copy to one place or several, which do not overlap each other. A place may be the source
/// itself; otherwise it does not overlap it.
struct copy_task {
    std::byte const* from = nullptr;
    std::size_t bytes = 0;
    std::span<std::byte* const> to;
};

/// Enqueues copies, none of which reads or writes what another one writes. `queue` is a stream, as
/// in `reduction::queue`.
using copy_function = void (*)(std::span<copy_task const> all, void* queue);

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
