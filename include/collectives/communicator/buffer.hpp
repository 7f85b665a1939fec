// SPDX-License-Identifier: BSD-3-Clause
// Memory from `communicator::allocate`: peers reach it, so that nothing is copied on the way.
#pragma once

#include <collectives/executor/space.hpp>
#include <collectives/transport/concepts.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace collectives {

/// A contiguous range of `size()` elements, zero at first. Move-only; its destructor frees this
/// rank's part alone. Spans into it are reachable too.
template <class T, transport Transport>
class buffer {
public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = T const*;

    buffer(std::shared_ptr<Transport> t, std::size_t n) : transport_(std::move(t)), size_(n) {
        data_ = static_cast<T*>(take_memory(*transport_, n * sizeof(T)));
        if constexpr (!peer_addressable<Transport> && !device_transport<Transport>) {
            std::uninitialized_value_construct_n(data_, n);
            or_give_back([&] { register_data(); });
        } else if constexpr (!peer_addressable<Transport>) {
            or_give_back([&] { transport_->space().zero(data_, n * sizeof(T)); });
        }
    }
    buffer(buffer&& other) noexcept
        : transport_(std::move(other.transport_)),
          data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)) {}
    buffer& operator=(buffer&& other) noexcept {
        std::swap(transport_, other.transport_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~buffer() {
        if (data_ == nullptr) { return; }
        if constexpr (memory_registering<Transport>) { transport_->deregister_memory(data_); }
        give_memory_back(*transport_, data_, size_ * sizeof(T));
    }

    T* data() { return data_; }
    T const* data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    T const* begin() const { return data_; }
    T const* end() const { return data_ + size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    T const& operator[](std::size_t i) const { return data_[i]; }

private:
    void register_data() {
        if constexpr (memory_registering<Transport>) {
            transport_->register_memory(data_, size_ * sizeof(T));
        }
    }
    /// Gives the memory back where `prepare` throws.
    template <class Prepare>
    void or_give_back(Prepare&& prepare) {
        try {
            prepare();
        } catch (...) {
            give_memory_back(*transport_, data_, size_ * sizeof(T));
            throw;
        }
    }

    std::shared_ptr<Transport> transport_;
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace collectives
