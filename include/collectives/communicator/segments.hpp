// SPDX-License-Identifier: BSD-3-Clause
// How long segments are where the caller leaves that to the library.
#pragma once

#include <collectives/algorithm/ring.hpp>
#include <collectives/executor/run_book.hpp>
#include <collectives/executor/space.hpp>
#include <collectives/schedule/any_algorithm.hpp>
#include <collectives/transport/concepts.hpp>

#include <algorithm>
#include <cstddef>

namespace collectives {

/// Bytes of a segment of a vector of so many; 0: all in one. In memory that peers reach half of
/// what a core's own cache holds, or less: what a rank has staged or added up is still there when
/// it, or a peer, reads it again. Over messages four slices, that run side by side: while one waits
/// for an answer, the others use the link. Not where a rank sends to one peer in this round and to
/// another in the next: slices in different rounds would share links, and whom they serve unevenly
/// waits, as do all after it.
template <transport Transport>
std::size_t best_segment([[maybe_unused]] std::size_t bytes, [[maybe_unused]] any_algorithm by,
                         [[maybe_unused]] int size) {
    constexpr auto kilo = std::size_t{1024};
    if constexpr (device_transport<Transport>) {
        return 0;
    } else if constexpr (direct_transport<Transport>) {
        return 256 * kilo;
    } else {
        auto const one_peer = size == 2 || by.is<ring>();
        return one_peer ? std::clamp((bytes + 3) / 4, 256 * kilo, 4096 * kilo) : 0;
    }
}

}  // namespace collectives
