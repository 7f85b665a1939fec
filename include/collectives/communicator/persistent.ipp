// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/communicator/core.hpp>
#include <collectives/communicator/persistent.hpp>
#include <collectives/core/text.hpp>

#include <utility>

namespace collectives::inline v0 {

COLLECTIVES_INLINE persistent::persistent(detail::core_pointer core,
                                          detail::call_request const& what,
                                          shared_pointer<void const> keep)
    : core_(std::move(core)), its_(core_->plan(what, std::move(keep))) {}
COLLECTIVES_INLINE persistent::persistent(persistent&&) noexcept = default;
COLLECTIVES_INLINE persistent& persistent::operator=(persistent&& other) noexcept {
    if (this != &other) {
        end();
        its_ = std::move(other.its_);  // before the core that carries it out
        core_ = std::move(other.core_);
    }
    return *this;
}
COLLECTIVES_INLINE persistent::~persistent() { end(); }

COLLECTIVES_INLINE void persistent::start() {
    if (!its_) { throw_error<usage_error>("persistent: the call was moved away"); }
    core_->start(*its_);
}
COLLECTIVES_INLINE bool persistent::test() {
    if (!its_ || !its_->under_way) { return true; }
    if (!core_->engine().test(its_->run)) { return false; }
    core_->forget(its_->run);
    its_->under_way = false;
    return true;
}
COLLECTIVES_INLINE void persistent::wait() {
    if (its_ && std::exchange(its_->under_way, false)) { core_->finish(its_->run); }
}
/// Waits without throwing: a failure stays with the communicator.
COLLECTIVES_INLINE void persistent::end() noexcept {
    try {
        wait();
    } catch (...) {  // NOLINT: a destructor has nobody to tell
    }
}

}  // namespace collectives
