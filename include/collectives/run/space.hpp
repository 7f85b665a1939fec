// SPDX-License-Identifier: BSD-3-Clause
// The space of a transport's buffers: the host's memory, or the memory of a device, in which work
// is enqueued and done later, in order.
#pragma once

#include <collectives/core/device_space.hpp>
#include <collectives/core/streaming_copy.hpp>
#include <collectives/space/reducer.hpp>
#include <collectives/transport/any_transport.hpp>

#include <cstddef>
#include <new>

namespace collectives::inline v0::detail {

/// The host's memory, or a device's.
class any_space {
public:
    any_space() = default;
    explicit any_space(device_space* device) : device_(device) {}

    void copy(void* to, void const* from, std::size_t bytes,
              destination where = destination::read_soon) const {
        if (device_ != nullptr) { return device_->copy(to, from, bytes); }
        host::copy(to, from, bytes, where);
    }
    void* queue() const { return device_ == nullptr ? nullptr : device_->queue(); }
    /// Null for the host's memory.
    device_space* device() const { return device_; }

private:
    device_space* device_ = nullptr;
};

/// Memory for one rank's buffers. If the transport has memory that peers reach, it is of that kind,
/// and zeroed.
inline void* take_memory(any_transport& t, std::size_t bytes) {
    if (auto* const shared = t.memory()) { return shared->allocate(bytes); }
    if (auto* const device = t.device()) { return device->allocate(bytes); }
    return ::operator new(bytes, std::align_val_t{64});
}
inline void give_memory_back(any_transport& t, void* p, std::size_t bytes) {
    if (auto* const shared = t.memory()) { return shared->deallocate(p, bytes); }
    if (auto* const device = t.device()) { return device->deallocate(p, bytes); }
    ::operator delete(p, std::align_val_t{64});
}

}  // namespace collectives::detail
