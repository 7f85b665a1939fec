// SPDX-License-Identifier: BSD-3-Clause
// What the runs of a call have in common: its buffers, its operator and its identity.
#pragma once

#include <collectives/core/fingerprint.hpp>
#include <collectives/core/lending_case.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/space/reducer.hpp>

#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::detail {

/// How long this rank takes for a call in which it reads what its peers lend or stage, and which of
/// the two they do.
struct reading_time {
    steady::time_point since{};  // when it entered the call
    bool lent = false, staged = false;

    bool is_known() const { return lent || staged; }
    reading how() const {
        return !lent ? reading::staged : !staged ? reading::fetched : reading::both;
    }
};

/// A call's buffers and operator, and what tells it from other calls.
struct running_call {
    std::byte const* in = nullptr;
    std::byte* out = nullptr;
    reducer const* op = nullptr;  // null if nothing is reduced
    fingerprint const* call = nullptr;
    std::uint64_t hash = 0;         // of this call and all before it
    reading_time* reads = nullptr;  // null if it is not measured
    bool is_awaited = true;         // the rank does nothing but wait for it
};

}  // namespace collectives::detail
