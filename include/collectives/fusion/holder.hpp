// SPDX-License-Identifier: BSD-3-Clause
// A counted pointer for one thread at a time.
#pragma once

#include <utility>

namespace collectives {

/// Counts the handles of a state, whose last one deletes it. Not for several threads at once, as a
/// communicator is not: counts that are would take longer than all else that `add` does.
template <class State>
class counted_holder {
public:
    explicit counted_holder(State* state) : state_(state) { ++state_->holders; }
    counted_holder(counted_holder const& other) : state_(other.state_) {
        if (state_ != nullptr) { ++state_->holders; }
    }
    counted_holder(counted_holder&& other) noexcept
        : state_(std::exchange(other.state_, nullptr)) {}
    counted_holder& operator=(counted_holder other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~counted_holder() {
        if (state_ != nullptr && --state_->holders == 0) { delete state_; }
    }
    State* operator->() const { return state_; }
    explicit operator bool() const { return state_ != nullptr; }

private:
    State* state_;
};

}  // namespace collectives
