// SPDX-License-Identifier: BSD-3-Clause
// A call that is planned once and carried out again and again.
#pragma once

#include <collectives/communicator/pending.hpp>
#include <collectives/core/compiled.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>

namespace collectives::inline v0 {

namespace detail {
struct call_request;
struct planned_call;
}  // namespace detail

/// A planned call, returned by the `plan_` forms. Move-only. `start` begins it with what its
/// buffers hold then; they belong to the call until it is done, and must live as long as this
/// object, which also keeps its communicator open. All ranks plan it and start it at the same
/// places among their other calls.
class [[nodiscard]] persistent {
public:
    /// For the library: the `plan_` forms make them. One that is moved from is done.
    persistent(detail::core_pointer core, detail::call_request const& what,
               shared_pointer<void const> keep);
    persistent(persistent&&) noexcept;
    persistent& operator=(persistent&& other) noexcept;
    ~persistent();  ///< waits, if it is under way

    /// Begins the call. Throws usage_error if it is under way, and what a `start_` form throws.
    /// Later starts reuse what the first ones made, and plan nothing. Exception: in a gather or
    /// scatter without counts, ranks may have to receive the size each time.
    void start();
    /// As `pending::test` and `pending::wait`. A call that is not under way is done.
    bool test();
    void wait();

private:
    void end() noexcept;

    detail::core_pointer core_;
    owned<detail::planned_call> its_;
};

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/communicator/persistent.ipp>
#endif
