// SPDX-License-Identifier: BSD-3-Clause
// A view of a list that is light to compile: std::span asks the concepts of ranges of each type.
#pragma once

#include <cstddef>

namespace collectives::inline v0 {

/// As std::span, under the same names.
template <class T>
class list_view {
public:
    constexpr list_view() = default;
    constexpr list_view(T* first, std::size_t size) : first_(first), size_(size) {}
    template <std::size_t N>
    constexpr list_view(T (&all)[N]) : first_(all), size_(N) {}

    constexpr T* data() const { return first_; }
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T* begin() const { return first_; }
    constexpr T* end() const { return first_ + size_; }
    constexpr T& operator[](std::size_t i) const { return first_[i]; }

private:
    T* first_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace collectives
