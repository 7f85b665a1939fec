// SPDX-License-Identifier: BSD-3-Clause
// Memory from `communicator::allocate` as a range of elements.
#pragma once

#include <collectives/communicator/memory_block.hpp>

#include <cstddef>
#include <utility>

namespace collectives::inline v0 {

/// A contiguous range of `size()` elements, zero at first, that peers can reach. Move-only; its
/// destructor frees only this rank's part. Spans into it are reachable too.
template <class T>
class buffer {
public:
    using value_type = T;             ///< the type of an element
    using iterator = T*;              ///< goes over the elements
    using const_iterator = T const*;  ///< only reads them

    /// For the library: `communicator::allocate` makes buffers.
    explicit buffer(memory_block memory) : memory_(std::move(memory)) {}

    /// These behave as those of std::span. Indices are not checked; `size` is in elements.
    T* data() { return static_cast<T*>(memory_.data()); }
    T const* data() const { return static_cast<T const*>(memory_.data()); }
    std::size_t size() const { return memory_.bytes() / sizeof(T); }
    bool empty() const { return size() == 0; }
    T* begin() { return data(); }
    T* end() { return data() + size(); }
    T const* begin() const { return data(); }
    T const* end() const { return data() + size(); }
    T& operator[](std::size_t i) { return data()[i]; }
    T const& operator[](std::size_t i) const { return data()[i]; }

private:
    memory_block memory_;
};

}  // namespace collectives
