// SPDX-License-Identifier: BSD-3-Clause
// A started call: test it, wait for it, or let its destructor wait.
#pragma once

#include <collectives/core/compiled.hpp>
#include <collectives/core/first_failure.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>

namespace collectives::inline v0 {

namespace detail {
class activity;
class communicator_core;
using core_pointer = shared_pointer<communicator_core>;
}  // namespace detail

/// A started call, returned by the `start_` forms. Move-only. Buffers passed to the call belong to
/// it until it is done. What the rank has under way progresses whenever it tests or waits for a
/// call that is not done: collectives each time, other sends and receives, whose bytes the
/// transport moves by itself, now and then.
class [[nodiscard]] pending {
public:
    /// For the library: the `start_` forms make them. One that is moved from is done.
    pending(detail::core_pointer core, owned<detail::activity> what,
            shared_pointer<void const> keep);
    pending(pending&&) noexcept;
    pending& operator=(pending&& other) noexcept;
    ~pending();  ///< waits; what went wrong shows at the next call

    /// Returns true once the call is done; never blocks. Throws what `wait` would throw. Over MPI
    /// and UCX a time-out is thrown by a later `test`, up to 0.1 s after it: first the other ranks
    /// are asked where they wait.
    bool test();
    /// Returns once the call is done. Throws what the blocking form would throw; the call is done
    /// then too.
    void wait();

private:
    void end() noexcept;

    detail::core_pointer core_;
    owned<detail::activity> what_;
    shared_pointer<void const> keep_;
};

/// Waits for all of them. Throws the first failure once all have ended.
template <class... Pending>
void wait_all(Pending&... calls) {
    detail::first_failure failure;
    (failure.attempt([&calls] { calls.wait(); }), ...);
    failure.rethrow();
}

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/communicator/pending.ipp>
#endif
