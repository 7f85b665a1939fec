// SPDX-License-Identifier: BSD-3-Clause
// A device's memory: what is asked for is enqueued, and done later, in order.
#pragma once

#include <collectives/core/gather.hpp>
#include <collectives/core/types.hpp>

#include <cstddef>
#include <cstdint>

namespace collectives::inline v0 {

struct reducer;  // space/reducer.hpp

/// Where the buffers of a transport's collectives lie, if not in the host's memory. All functions
/// but the last block are called while a `device_scope` lives.
class device_space {
public:
    virtual ~device_space() = default;

    virtual void copy(void* to, void const* from, std::size_t bytes) = 0;
    /// What a pass takes as `reduction::queue`.
    virtual void* queue() = 0;
    /// Called before a peer is told of what was enqueued so far.
    virtual void note() = 0;
    /// All that comes waits for what that rank of the job noted last.
    virtual void after(rank_t job_rank) = 0;
    /// What comes waits for what is on a user's stream. Throws usage_error if it cannot.
    virtual void follow(void* stream) = 0;
    /// Throws usage_error where `follow` would. From any thread.
    virtual void require_followable(void* stream) const = 0;
    /// Throws usage_error where the device cannot read a buffer.
    virtual void require_reachable(void const* p, std::size_t bytes) const = 0;
    /// A number for all that was enqueued; `passed` tells when that is done.
    virtual std::uint64_t mark() = 0;
    virtual bool passed(std::uint64_t mark) = 0;
    /// Whether that rank of the job died and is not waited for any more.
    virtual bool was_let_go(rank_t job_rank) const = 0;

    /// Makes `r` enqueue its kernel. False: the program has none.
    virtual bool bind(reducer& r) const = 0;
    /// What packs elements of type `own` as `wire`, and unpacks them: their type_id. Equal types
    /// are std::uint8_t, 16, 32 or 64 and stand for all elements of their size. Null: the program
    /// has no such kernel.
    virtual gather_function gather([[maybe_unused]] std::uint64_t own,
                                   [[maybe_unused]] std::uint64_t wire) const {
        return nullptr;
    }

    /// Makes the device current, and back to what `enter` gave.
    virtual int enter() = 0;
    virtual void leave(int before) = 0;
    /// Called once by each thread of the library that uses the device.
    virtual void begin_thread() = 0;
    /// Waits for all that is enqueued. Does not throw.
    virtual void drain_if_possible() = 0;
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void zero(void* p, std::size_t bytes) = 0;
    virtual void deallocate(void* p, std::size_t bytes) = 0;
};

/// The device is current while this lives. Nothing happens where there is none.
class device_scope {
public:
    explicit device_scope(device_space* s) : space_(s) {
        if (space_ != nullptr) { before_ = space_->enter(); }
    }
    device_scope(device_scope const&) = delete;
    device_scope& operator=(device_scope const&) = delete;
    ~device_scope() {
        if (space_ != nullptr) { space_->leave(before_); }
    }

private:
    device_space* space_;
    int before_ = 0;
};

}  // namespace collectives
