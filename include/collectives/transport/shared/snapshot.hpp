// SPDX-License-Identifier: BSD-3-Clause
// Reads what a peer may overwrite at any time.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/types.hpp>

#include <atomic>
#include <type_traits>

namespace collectives::inline v0::shared {

/// A copy of a value in shared memory. The compiler cannot read the original again, so what is
/// checked in the copy is what is used.
template <class T>
T snapshot(T const& of) {
    static_assert(std::is_trivially_copyable_v<T>);
    auto copy = of;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return copy;
}

/// `whose`: whose number r is, as " of the job".
[[gnu::cold, gnu::noinline, noreturn]] inline void refuse_damage(rank_t r, char const* whose) {
    throw_error<transport_error>("rank ", r, whose, " wrote what no rank can have written");
}

}  // namespace collectives::shared
