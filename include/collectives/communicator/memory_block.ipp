// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/communicator/memory_block.hpp>
#include <collectives/run/space.hpp>

#include <cstring>
#include <utility>

namespace collectives::inline v0 {

COLLECTIVES_INLINE memory_block::memory_block(shared_pointer<any_transport> t, std::size_t bytes)
    : transport_(std::move(t)), data_(detail::take_memory(*transport_, bytes)), bytes_(bytes) {
    if (transport_->memory() != nullptr) { return; }  // zeroed, and known to the transport
    try {
        if (auto* const device = transport_->device()) {
            device->zero(data_, bytes_);
        } else {
            std::memset(data_, 0, bytes_);
            transport_->register_memory(data_, bytes_);
        }
    } catch (...) {
        detail::give_memory_back(*transport_, data_, bytes_);
        throw;
    }
}
COLLECTIVES_INLINE memory_block::memory_block(memory_block&& other) noexcept
    : transport_(std::move(other.transport_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}
COLLECTIVES_INLINE memory_block& memory_block::operator=(memory_block&& other) noexcept {
    std::swap(transport_, other.transport_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
}
COLLECTIVES_INLINE memory_block::~memory_block() {
    if (data_ == nullptr) { return; }
    transport_->deregister_memory(data_);
    detail::give_memory_back(*transport_, data_, bytes_);
}

}  // namespace collectives
