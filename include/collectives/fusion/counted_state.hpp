// SPDX-License-Identifier: BSD-3-Clause
// What the handles of a fusion_buffer hold: a counted pointer to its state, and a ticket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace collectives::inline v0::detail {

/// What counted_holders hold.
class counted_state {
public:
    counted_state() = default;
    counted_state(counted_state const&) = delete;
    counted_state& operator=(counted_state const&) = delete;
    virtual ~counted_state() = default;

private:
    template <class State>
    friend class counted_holder;

    std::size_t holders_ = 0;
};

/// Counts the handles of a state; the last one deletes it. Only one thread at a time may use them,
/// as with a communicator: an atomic count would take longer than all else that `add` does. `State`
/// derives from counted_state, and may be incomplete where it is not dereferenced.
template <class State>
class counted_holder {
public:
    explicit counted_holder(counted_state* state) : state_(state) { ++state_->holders_; }
    counted_holder(counted_holder const& other) : state_(other.state_) {
        if (state_ != nullptr) { ++state_->holders_; }
    }
    counted_holder(counted_holder&& other) noexcept
        : state_(std::exchange(other.state_, nullptr)) {}
    counted_holder& operator=(counted_holder other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~counted_holder() {
        if (state_ != nullptr && --state_->holders_ == 0) { delete state_; }
    }
    State* operator->() const { return static_cast<State*>(state_); }
    explicit operator bool() const { return state_ != nullptr; }

private:
    counted_state* state_;
};

class bucket;

/// The bucket that a tensor went to, and how often the bucket had been finished by then. The tensor
/// is done once that number has changed.
struct fusion_ticket {
    bucket* in = nullptr;
    std::uint64_t times_done = 0;
};

}  // namespace collectives::detail
