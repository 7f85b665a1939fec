// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/communicator/core.hpp>
#include <collectives/communicator/pending.hpp>
#include <collectives/core/owned.hpp>

#include <utility>

namespace collectives::inline v0 {

COLLECTIVES_INLINE pending::pending(shared_pointer<detail::communicator_core> core,
                                    owned<detail::activity> what, shared_pointer<void const> keep)
    : core_(std::move(core)), what_(std::move(what)), keep_(std::move(keep)) {}
COLLECTIVES_INLINE pending::pending(pending&&) noexcept = default;
COLLECTIVES_INLINE pending& pending::operator=(pending&& other) noexcept {
    if (this != &other) {
        end();
        core_ = std::move(other.core_);
        what_ = std::move(other.what_);
        keep_ = std::move(other.keep_);
    }
    return *this;
}
COLLECTIVES_INLINE pending::~pending() { end(); }

COLLECTIVES_INLINE bool pending::test() { return !what_ || core_->test(what_); }
COLLECTIVES_INLINE void pending::wait() {
    if (what_) { core_->finish(std::move(what_)); }
}
/// Waits without throwing: a failure stays with the communicator.
COLLECTIVES_INLINE void pending::end() noexcept {
    try {
        wait();
    } catch (...) {  // NOLINT: a destructor has nobody to tell
    }
}

}  // namespace collectives
