// SPDX-License-Identifier: BSD-3-Clause
// A device's memory, in which work is enqueued and done later, in order.
#pragma once

#include <collectives/core/device_copy.hpp>
#include <collectives/core/list_view.hpp>
#include <collectives/core/types.hpp>

#include <cstddef>
#include <cstdint>

namespace collectives::inline v0 {

struct reducer;  // space/reducer.hpp

/// The space of a transport's buffers if they are on a device. All functions but the last block are
/// called while a `device_scope` lives.
class device_space {
public:
    virtual ~device_space() = default;

    virtual void copy(void* to, void const* from, std::size_t bytes) = 0;
    /// The same to several places, as copy_task says, in one pass if the device reaches them all.
    /// Zero bytes are nothing.
    virtual void copy_to_all(list_view<std::byte* const> to, void const* from, std::size_t bytes) {
        for (auto* const one : to) { copy(one, from, bytes); }
    }
    /// Copies may be collected until something must come after them. This enqueues them now.
    virtual void start_copies() {}
    /// The queue that a pass takes as `reduction::queue`.
    virtual void* queue() = 0;
    /// Call this before a peer learns of what was enqueued so far. False: it must wait until that
    /// is done. Call it again, then.
    virtual bool note() = 0;
    /// Work enqueued from now on waits for what that rank of the job noted last.
    virtual void after(rank_t job_rank) = 0;
    /// Work enqueued from now on waits for the work on a user's stream. Throws usage_error if it
    /// cannot.
    virtual void follow(void* stream) = 0;
    /// Throws usage_error if `follow` would. May be called from any thread.
    virtual void require_followable(void* stream) const = 0;
    /// Throws usage_error if the device cannot read a buffer.
    virtual void require_reachable(void const* p, std::size_t bytes) const = 0;
    /// A number for everything enqueued so far. `passed` says whether that is done.
    virtual std::uint64_t completion() = 0;
    virtual bool passed(std::uint64_t completion) = 0;
    /// Whether that rank of the job died and nothing waits for it any more.
    virtual bool is_released(rank_t job_rank) const = 0;

    /// Makes `r` enqueue its kernel. Returns false if the program has none.
    virtual bool bind(reducer& r) const = 0;
    /// The function that packs elements of type `own` as `wire`, and unpacks them; both are
    /// type_ids. Equal types are std::uint8_t, 16, 32 or 64 and stand for all elements of their
    /// size. Null if the program has no such kernel.
    virtual pack_function pack_kernel([[maybe_unused]] std::uint64_t own,
                                      [[maybe_unused]] std::uint64_t wire) const {
        return nullptr;
    }

    /// Makes the device current; `leave` goes back to what `enter` returned.
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

/// The device is current while this lives. Does nothing if there is no device.
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
