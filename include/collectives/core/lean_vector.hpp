// SPDX-License-Identifier: BSD-3-Clause
// A vector that is light to compile. A program reaches 65 types of elements in this library, and
// std::vector costs about 50 functions for each: docs/lab/weight.md has the figures.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace collectives::inline v0 {

namespace detail {

/// Room for `n` elements of `size` bytes. Throws std::bad_array_new_length, std::bad_alloc.
[[gnu::cold]] inline void* room_for(std::size_t n, std::size_t size) {
    if (n > std::numeric_limits<std::ptrdiff_t>::max() / size) {
        throw std::bad_array_new_length();
    }
    auto const bytes = n * size;
    return ::operator new(bytes);
}

/// Room for `n` elements of `size` bytes, with the `used` bytes from `old`, which is given back.
[[gnu::cold]] inline void* moved_to_room_for(std::size_t n, std::size_t size, void* old,
                                             std::size_t used) {
    auto* const result = room_for(n, size);
    if (used > 0) { std::memcpy(result, old, used); }
    ::operator delete(old);
    return result;
}

/// Room for `n` elements of `size` bytes, with a copy of those from `others` on.
[[gnu::cold]] inline void* copied_to_room_for(std::size_t n, std::size_t size, void const* others) {
    return std::memcpy(room_for(n, size), others, n * size);
}

}  // namespace detail

/// Like std::vector, under the same names and at the same cost, with what this library needs. It is
/// not constexpr, has no allocators, and its iterators are pointers. Moving an element must not
/// throw. It takes elements by value, so an element that is moved in is lost if there is no memory.
/// A range that is copied in must not be part of the vector. It converts from and to std::vector by
/// templates, so other users do not compile that class.
template <class T>
class lean_vector {
public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = T const*;

    lean_vector() = default;
    explicit lean_vector(std::size_t n) : lean_vector() { add_up_to(n); }
    lean_vector(std::size_t n, T const& value) : lean_vector() { add_up_to(n, value); }
    lean_vector(std::initializer_list<T> all) : lean_vector(all.begin(), all.end()) {}
    template <class Iterator>
        requires(!std::is_arithmetic_v<Iterator>)
    lean_vector(Iterator first, Iterator last) : lean_vector() {
        append(first, last);
    }
    template <std::same_as<std::vector<T>> Vector>
    lean_vector(Vector const& all) : lean_vector(all.data(), all.data() + all.size()) {}
    lean_vector(lean_vector const& other) : lean_vector() {
        if constexpr (is_plain) {
            if (other.empty()) { return; }
            auto const n = other.size_;
            first_ = static_cast<T*>(detail::copied_to_room_for(n, sizeof(T), other.first_));
            size_ = capacity_ = n;
        } else {
            append(other.begin(), other.end());
        }
    }
    lean_vector(lean_vector&& other) noexcept
        : first_(other.first_), size_(other.size_), capacity_(other.capacity_) {
        other.first_ = nullptr;
        other.size_ = other.capacity_ = 0;
    }
    lean_vector& operator=(lean_vector const& other) {
        if (this != &other) { assign(other.begin(), other.end()); }
        return *this;
    }
    lean_vector& operator=(lean_vector&& other) noexcept {
        lean_vector taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~lean_vector() {
        if constexpr (!is_plain) {
            for (auto* at = end(); at != first_;) { (--at)->~T(); }
        }
        ::operator delete(first_);
    }

    T* begin() noexcept { return first_; }
    T* end() noexcept { return first_ + size_; }
    T const* begin() const noexcept { return first_; }
    T const* end() const noexcept { return first_ + size_; }
    T* data() noexcept { return first_; }
    T const* data() const noexcept { return first_; }
    std::size_t size() const noexcept { return size_; }
    std::size_t capacity() const noexcept { return capacity_; }
    bool empty() const noexcept { return size_ == 0; }
    T& operator[](std::size_t i) { return first_[i]; }
    T const& operator[](std::size_t i) const { return first_[i]; }
    T& front() { return *first_; }
    T const& front() const { return *first_; }
    T& back() { return first_[size_ - 1]; }
    T const& back() const { return first_[size_ - 1]; }

    T& push_back(T value) {
        make_room(1);
        return add(std::move(value));
    }
    template <class... Arguments>
    T& emplace_back(Arguments&&... from) {
        T value(std::forward<Arguments>(from)...);
        return push_back(std::move(value));
    }
    void pop_back() { truncate(size_ - 1); }
    void clear() noexcept { truncate(0); }
    void resize(std::size_t n) {
        truncate(n);
        add_up_to(n);
    }
    void resize(std::size_t n, T value) {
        truncate(n);
        add_up_to(n, std::as_const(value));
    }
    void assign(std::size_t n, T value) {
        clear();
        add_up_to(n, std::as_const(value));
    }
    template <class Iterator>
        requires(!std::is_arithmetic_v<Iterator>)
    void assign(Iterator first, Iterator last) {
        clear();
        append(first, last);
    }
    template <class Iterator>
    void append(Iterator first, Iterator last) {
        for (; first != last; ++first) { push_back(*first); }
    }
    void append(T* first, T* last) {
        append(static_cast<T const*>(first), static_cast<T const*>(last));
    }
    void append(T const* first, T const* last) {
        auto const n = static_cast<std::size_t>(last - first);
        make_room(n);
        if constexpr (is_plain) {
            if (n > 0) { std::memcpy(static_cast<void*>(end()), first, n * sizeof(T)); }
            size_ += n;
        } else {
            for (; first != last; ++first) { add(*first); }
        }
    }
    T* insert(T const* before, T value) {
        auto const at = static_cast<std::size_t>(before - first_);
        push_back(std::move(value));
        for (auto i = size_ - 1; i > at; --i) { std::swap(first_[i], first_[i - 1]); }
        return first_ + at;
    }
    T* erase(T const* at) {
        auto const i = static_cast<std::size_t>(at - first_);
        for (auto k = i + 1; k < size_; ++k) { first_[k - 1] = std::move(first_[k]); }
        pop_back();
        return first_ + i;
    }
    /// The first element for which `fits` holds, or end().
    template <class Predicate>
    T* find_if(Predicate fits) {
        auto* at = begin();
        while (at != end() && !fits(*at)) { ++at; }
        return at;
    }
    /// Takes out the elements for which `leaves` holds. How many there were.
    template <class Predicate>
    std::size_t erase_if(Predicate leaves) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            if (leaves(first_[i])) { continue; }
            if (kept != i) { first_[kept] = std::move(first_[i]); }
            ++kept;
        }
        auto const gone = size_ - kept;
        truncate(kept);
        return gone;
    }
    void erase_value(T value) {
        erase_if([&value](T const& one) { return one == value; });
    }

    void reserve(std::size_t n) {
        if (n > capacity_) { move_to(n); }
    }
    /// Room for n more: adding them takes no memory.
    void make_room(std::size_t n) {
        if (n > capacity_ - size_) { move_to(std::max(size_ + n, 2 * capacity_)); }
    }
    void swap(lean_vector& other) noexcept {
        auto* const its = other.first_;  // not std::swap, which asks four traits of each type
        other.first_ = first_;
        first_ = its;
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    template <std::same_as<std::vector<T>> Vector>
    operator Vector() const {
        return Vector(begin(), end());
    }
    friend bool operator==(lean_vector const& a, lean_vector const& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    /// Elements need not be destroyed, and move as bytes. The one trait that is asked here: others
    /// cost the compiler some ten classes per type.
    static constexpr bool is_plain = std::is_trivially_copyable_v<T>;

    /// To new memory, for `n` elements.
    [[gnu::cold]] void move_to(std::size_t n) {
        static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        if constexpr (is_plain) {
            auto const used = size_ * sizeof(T);
            first_ = static_cast<T*>(detail::moved_to_room_for(n, sizeof(T), first_, used));
        } else {
            static_assert(noexcept(T(std::move(*first_))));
            auto* const to = static_cast<T*>(detail::room_for(n, sizeof(T)));
            for (std::size_t i = 0; i < size_; ++i) {
                ::new (static_cast<void*>(to + i)) T(std::move(first_[i]));
                first_[i].~T();
            }
            ::operator delete(first_);
            first_ = to;
        }
        capacity_ = n;
    }
    template <class... Arguments>
    T& add(Arguments&&... from) {
        auto* const made = ::new (static_cast<void*>(end())) T(std::forward<Arguments>(from)...);
        ++size_;
        return *made;
    }
    /// Copies of `value`, or what T() is, until there are n elements.
    template <class... Value>
    void add_up_to(std::size_t n, Value const&... value) {
        make_room(n - size_);
        if constexpr (is_plain) {  // a loop that the compiler sees through
            auto* const last = first_ + n;
            for (auto* at = end(); at != last; ++at) { ::new (static_cast<void*>(at)) T(value...); }
            size_ = n;
        } else {
            while (size_ < n) { add(value...); }
        }
    }
    void truncate(std::size_t n) noexcept {
        if constexpr (is_plain) {
            if (n < size_) { size_ = n; }
        } else {
            while (size_ > n) { first_[--size_].~T(); }
        }
    }

    T* first_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

template <class Pointer>
lean_vector(Pointer*, Pointer*) -> lean_vector<std::remove_const_t<Pointer>>;

}  // namespace collectives::inline v0
