// SPDX-License-Identifier: BSD-3-Clause
// The lists of the checker, which compilers run too.
#pragma once

#include <cstddef>

namespace collectives::inline v0::detail {

/// A vector of plain data that is light to compile and for a compiler to run: std::vector brings
/// its allocator and its iterators for each type of elements.
template <class T>
class checked_list {
public:
    constexpr checked_list() = default;
    constexpr explicit checked_list(std::size_t n, T value = {}) { resize(n, value); }
    checked_list(checked_list const&) = delete;
    checked_list& operator=(checked_list const&) = delete;
    constexpr ~checked_list() { delete[] first_; }

    constexpr T* begin() const { return first_; }
    constexpr T* end() const { return first_ + size_; }
    constexpr std::size_t size() const { return size_; }
    constexpr T& operator[](std::size_t i) const { return first_[i]; }

    constexpr void clear() { size_ = 0; }
    constexpr void push_back(T value) {
        if (size_ == capacity_) { grow(2 * size_ + 8); }
        first_[size_++] = value;
    }
    constexpr void resize(std::size_t n, T value = {}) {
        if (n > capacity_) { grow(n > 2 * size_ ? n : 2 * size_); }
        while (size_ < n) { first_[size_++] = value; }
        size_ = n;
    }

private:
    [[gnu::cold]] constexpr void grow(std::size_t n) {
        auto* const all = new T[n];
        for (std::size_t i = 0; i < size_; ++i) { all[i] = first_[i]; }
        delete[] first_;
        first_ = all;
        capacity_ = n;
    }

    T* first_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace collectives::detail
