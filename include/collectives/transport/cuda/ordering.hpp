// SPDX-License-Identifier: BSD-3-Clause
// The ways in which ranks' devices wait for each other.
#pragma once

#include <cstdint>

namespace collectives::inline v0::cuda {

/// How work of several ranks is put in order on their devices. Before a rank tells a peer of what
/// it has enqueued,
enum class ordering : std::uint8_t {
    events,  // it records an event, and the peer's stream waits for that
    memory,  // its stream writes a word, and the peer's stream waits for that
    host     // it waits itself until all is done: works everywhere
};

}  // namespace collectives::cuda
