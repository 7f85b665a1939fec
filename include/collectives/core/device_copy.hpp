// SPDX-License-Identifier: BSD-3-Clause
// Copies in a device's memory.
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

}  // namespace collectives
