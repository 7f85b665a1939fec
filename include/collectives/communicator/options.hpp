// SPDX-License-Identifier: BSD-3-Clause
// How to carry out a call.
#pragma once

#include <collectives/core/timeout.hpp>
#include <collectives/schedule/any_algorithm.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace collectives::inline v0 {

/// Leaves the size of segments to the library.
inline constexpr std::size_t chosen_segment = std::numeric_limits<std::size_t>::max();

/// Says whether a started call moves only while the rank is in a call of the library, or also on a
/// thread of the process.
enum class progress_by : std::uint8_t { own_calls, background };
inline constexpr auto background = progress_by::background;

/// The options of a call. Every field has a default. All fields but `timeout`, `stream` and
/// `progress` must be equal on all ranks.
struct options {
    any_algorithm algorithm{};             ///< default: automatic
    std::size_t segment = chosen_segment;  ///< bytes a pipelined segment holds; 0: only one
    bool reproducible = false;             ///< the left fold in rank order, whatever else is chosen
    collectives::timeout timeout{};        ///< for the whole call
    void* stream =
        nullptr;  ///< of communicators of devices alone: what is on it comes before the call
    progress_by progress = progress_by::own_calls;  ///< of started and persistent calls
};

}  // namespace collectives
