// SPDX-License-Identifier: BSD-3-Clause
// The memory of a lean_vector, whatever its elements are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>

namespace collectives::inline v0::detail {

/// Room for `n` elements of `size` bytes. Throws std::bad_array_new_length, std::bad_alloc.
[[gnu::cold]] inline void* room_for(std::size_t n, std::size_t size) {
    if (n > std::numeric_limits<std::ptrdiff_t>::max() / size) {
        throw std::bad_array_new_length();
    }
    auto const bytes = n * size;
    return ::operator new(bytes);
}

/// What all lists have, whatever they hold. The functions are for elements of `bytes` bytes that
/// move as bytes.
struct list_room {
    void* first = nullptr;
    std::size_t size = 0, capacity = 0;

    /// How many to make room for when n more come.
    std::size_t grown(std::size_t n) const { return std::max(size + n, 2 * capacity); }
    [[gnu::cold]] void move_to(std::size_t n, std::size_t bytes) {
        auto* const to = room_for(n, bytes);
        if (size > 0) { std::memcpy(to, first, size * bytes); }
        ::operator delete(first);
        first = to;
        capacity = n;
    }
    [[gnu::cold]] void make_room(std::size_t n, std::size_t bytes) { move_to(grown(n), bytes); }
    /// Memory for n elements, for a list without any.
    [[gnu::cold]] void take(std::size_t n, std::size_t bytes) {
        if (n > 0) { first = room_for(n, bytes); }
        capacity = n;
    }
    /// Into a list without memory.
    [[gnu::cold]] void copy(list_room const& other, std::size_t bytes) {
        take(other.size, bytes);
        size = other.size;
        if (size > 0) { std::memcpy(first, other.first, size * bytes); }
    }
    void append(void const* others, std::size_t n, std::size_t bytes) {
        if (n > capacity - size) { make_room(n, bytes); }
        if (n > 0) {
            std::memcpy(static_cast<std::byte*>(first) + size * bytes, others, n * bytes);
        }
        size += n;
    }
};

}  // namespace collectives::detail
