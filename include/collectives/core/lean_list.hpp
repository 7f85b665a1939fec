// SPDX-License-Identifier: BSD-3-Clause
// The lists of schedules and of their checker, which compilers run too.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <vector>

namespace collectives::inline v0 {

/// A vector that is light to compile and for a compiler to run: std::vector brings its allocator
/// and its iterators for each type of elements. It has the names of std::vector, as lean_vector
/// has, and is constexpr. It makes elements before they are needed and keeps those that were taken
/// out until the list ends, so T must be default-constructible and hold nothing that has to end
/// soon. A range that is copied in must not be part of the list. It converts from and to
/// std::vector.
template <class T>
class lean_list {
public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = T const*;

    constexpr lean_list() = default;
    constexpr explicit lean_list(std::size_t n) : first_(new T[n]()), size_(n), capacity_(n) {}
    constexpr lean_list(std::size_t n, T const& value) : lean_list() { resize(n, value); }
    constexpr lean_list(std::initializer_list<T> all) : lean_list() {
        append(all.begin(), all.size());
    }
    template <class Iterator>
        requires(!std::is_arithmetic_v<Iterator>)
    constexpr lean_list(Iterator first, Iterator last) : lean_list() {
        for (; first != last; ++first) { push_back(*first); }
    }
    template <std::same_as<std::vector<T>> Vector>
    constexpr lean_list(Vector const& all) : lean_list() {
        append(all.data(), all.size());
    }
    constexpr lean_list(lean_list const& other) : lean_list() { append(other.first_, other.size_); }
    constexpr lean_list(lean_list&& other) noexcept { swap(other); }
    constexpr lean_list& operator=(lean_list const& other) {
        if (this == &other) { return *this; }
        size_ = 0;
        append(other.first_, other.size_);
        return *this;
    }
    constexpr lean_list& operator=(lean_list&& other) noexcept {
        lean_list taken(static_cast<lean_list&&>(other));
        swap(taken);
        return *this;
    }
    constexpr ~lean_list() { delete[] first_; }

    constexpr T* begin() { return first_; }
    constexpr T* end() { return first_ + size_; }
    constexpr T const* begin() const { return first_; }
    constexpr T const* end() const { return first_ + size_; }
    constexpr T const* cbegin() const { return first_; }
    constexpr T const* cend() const { return first_ + size_; }
    constexpr auto rbegin() { return std::reverse_iterator(end()); }
    constexpr auto rend() { return std::reverse_iterator(begin()); }
    constexpr auto rbegin() const { return std::reverse_iterator(end()); }
    constexpr auto rend() const { return std::reverse_iterator(begin()); }
    constexpr T* data() { return first_; }
    constexpr T const* data() const { return first_; }
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T& operator[](std::size_t i) { return first_[i]; }
    constexpr T const& operator[](std::size_t i) const { return first_[i]; }
    constexpr T& front() { return first_[0]; }
    constexpr T const& front() const { return first_[0]; }
    constexpr T& back() { return first_[size_ - 1]; }
    constexpr T const& back() const { return first_[size_ - 1]; }

    constexpr void clear() { size_ = 0; }
    constexpr void pop_back() { --size_; }
    constexpr void push_back(T value) {
        if (size_ == capacity_) { move_to(2 * size_ + 8); }
        first_[size_++] = static_cast<T&&>(value);
    }
    template <class... Arguments>
    constexpr T& emplace_back(Arguments&&... from) {
        push_back(T{static_cast<Arguments&&>(from)...});
        return back();
    }
    constexpr void reserve(std::size_t n) {
        if (n > capacity_) { move_to(n); }
    }
    constexpr void resize(std::size_t n, T value = {}) {
        if (n > capacity_) { move_to(n > 2 * size_ ? n : 2 * size_); }
        while (size_ < n) { first_[size_++] = value; }
        size_ = n;
    }
    constexpr T* insert(T const* before, T value) {
        auto const at = before - first_;
        push_back({});
        for (auto* one = end() - 1; one != first_ + at; --one) { *one = static_cast<T&&>(one[-1]); }
        first_[at] = static_cast<T&&>(value);
        return first_ + at;
    }
    constexpr T* erase(T const* at) {
        auto* const gone = first_ + (at - first_);
        for (auto* next = gone + 1; next != end(); ++next) { next[-1] = static_cast<T&&>(*next); }
        --size_;
        return gone;
    }
    constexpr void swap(lean_list& other) noexcept {
        auto* const first = other.first_;
        auto const size = other.size_, capacity = other.capacity_;
        other.first_ = first_;
        other.size_ = size_;
        other.capacity_ = capacity_;
        first_ = first;
        size_ = size;
        capacity_ = capacity;
    }

    template <std::same_as<std::vector<T>> Vector>
    constexpr operator Vector() const {
        return Vector(begin(), end());
    }
    friend constexpr bool operator==(lean_list const& a, lean_list const& b) {
        auto same = a.size_ == b.size_;
        for (std::size_t i = 0; same && i < a.size_; ++i) { same = a.first_[i] == b.first_[i]; }
        return same;
    }

private:
    [[gnu::cold]] constexpr void move_to(std::size_t n) {
        lean_list grown;
        grown.first_ = new T[n];
        grown.size_ = size_;
        grown.capacity_ = n;
        for (std::size_t i = 0; i < size_; ++i) { grown.first_[i] = static_cast<T&&>(first_[i]); }
        swap(grown);
    }
    /// To a list that is empty.
    constexpr void append(T const* others, std::size_t n) {
        if (n > capacity_) {
            lean_list larger;
            larger.first_ = new T[n];
            larger.capacity_ = n;
            swap(larger);
        }
        for (std::size_t i = 0; i < n; ++i) { first_[size_++] = others[i]; }
    }

    T* first_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace collectives::inline v0
