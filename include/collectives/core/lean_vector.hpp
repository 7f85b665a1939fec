// SPDX-License-Identifier: BSD-3-Clause
// A vector that is light to compile. A program reaches 65 types of elements in this library, and
// std::vector costs about 50 functions for each: docs/lab/weight.md has the figures.
#pragma once

#include <collectives/core/list_room.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <vector>

namespace collectives::inline v0 {

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

    // A constructor that delegates ends the vector if an element throws. The two for plain elements
    // do not delegate, since nothing throws once they have memory. That shortens their callers.
    lean_vector() = default;
    explicit lean_vector(std::size_t n)
        requires(__is_trivially_copyable(T) && noexcept(T()))
    {
        begin_with(n);
    }
    explicit lean_vector(std::size_t n) : lean_vector() { begin_with(n); }
    lean_vector(std::size_t n, T const& value) : lean_vector() { begin_with(n, value); }
    lean_vector(std::initializer_list<T> all) : lean_vector(all.begin(), all.end()) {}
    template <class Iterator>
        requires(!std::is_arithmetic_v<Iterator>)
    lean_vector(Iterator first, Iterator last) : lean_vector() {
        append(first, last);
    }
    template <std::same_as<std::vector<T>> Vector>
    lean_vector(Vector const& all) : lean_vector(all.data(), all.data() + all.size()) {}
    lean_vector(lean_vector const& other)
        requires(__is_trivially_copyable(T))
    {
        room_.copy(other.room_, sizeof(T));
    }
    lean_vector(lean_vector const& other) : lean_vector() {
        room_.take(other.room_.size, sizeof(T));
        for (auto const& one : other) { add(one); }
    }
    lean_vector(lean_vector&& other) noexcept : room_(other.room_) { other.room_ = {}; }
    lean_vector& operator=(lean_vector const& other) {
        if (this != &other) { assign(other.begin(), other.end()); }
        return *this;
    }
    lean_vector& operator=(lean_vector&& other) noexcept {
        lean_vector taken(static_cast<lean_vector&&>(other));
        swap(taken);
        return *this;
    }
    ~lean_vector() {
        static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        if constexpr (!is_plain) {
            for (auto n = room_.size; n > 0;) { static_cast<T*>(room_.first)[--n].~T(); }
        }
        ::operator delete(room_.first);
    }

    // None of these calls another: that would be one more function for each type.
    T* begin() noexcept { return static_cast<T*>(room_.first); }
    T* end() noexcept { return static_cast<T*>(room_.first) + room_.size; }
    T const* begin() const noexcept { return static_cast<T const*>(room_.first); }
    T const* end() const noexcept { return static_cast<T const*>(room_.first) + room_.size; }
    T* data() noexcept { return static_cast<T*>(room_.first); }
    T const* data() const noexcept { return static_cast<T const*>(room_.first); }
    std::size_t size() const noexcept { return room_.size; }
    std::size_t capacity() const noexcept { return room_.capacity; }
    bool empty() const noexcept { return room_.size == 0; }
    T& operator[](std::size_t i) { return static_cast<T*>(room_.first)[i]; }
    T const& operator[](std::size_t i) const { return static_cast<T const*>(room_.first)[i]; }
    T& front() { return *static_cast<T*>(room_.first); }
    T const& front() const { return *static_cast<T const*>(room_.first); }
    T& back() { return static_cast<T*>(room_.first)[room_.size - 1]; }
    T const& back() const { return static_cast<T const*>(room_.first)[room_.size - 1]; }

    T& push_back(T value) {
        make_room(1);
        auto* const at = static_cast<T*>(room_.first) + room_.size++;
        return *::new (static_cast<void*>(at)) T(static_cast<T&&>(value));
    }
    template <class... Arguments>
    T& emplace_back(Arguments&&... from) {
        T value(static_cast<Arguments&&>(from)...);
        return push_back(static_cast<T&&>(value));
    }
    void pop_back() { truncate(room_.size - 1); }
    void clear() noexcept { truncate(0); }
    [[gnu::cold]] void resize(std::size_t n) {
        truncate(n);
        add_up_to(n);
    }
    void resize(std::size_t n, T value) {
        truncate(n);
        add_up_to(n, value);
    }
    void assign(std::size_t n, T value) {
        clear();
        add_up_to(n, value);
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
        if constexpr (is_plain) {
            room_.append(first, n, sizeof(T));
        } else {
            make_room(n);
            for (; first != last; ++first) { add(*first); }
        }
    }
    T* insert(T const* before, T value) {
        auto const at = static_cast<std::size_t>(before - begin());
        push_back(static_cast<T&&>(value));
        auto* const all = begin();
        T last = static_cast<T&&>(all[size() - 1]);
        for (auto i = size() - 1; i > at; --i) { all[i] = static_cast<T&&>(all[i - 1]); }
        all[at] = static_cast<T&&>(last);
        return all + at;
    }
    T* erase(T const* at) {
        auto* const gone = begin() + (at - begin());
        for (auto* next = gone + 1; next != end(); ++next) { next[-1] = static_cast<T&&>(*next); }
        pop_back();
        return gone;
    }
    /// The first element for which `fits` holds, or end().
    template <class Predicate>
    T* find_if(Predicate fits) {
        auto* at = begin();
        while (at != end() && !fits(*at)) { ++at; }
        return at;
    }
    /// The index of the first element that equals `value`, or size().
    std::size_t index_of(T value) const {
        std::size_t i = 0;
        while (i < size() && !(begin()[i] == value)) { ++i; }
        return i;
    }
    /// Takes out the elements for which `leaves` holds. How many there were.
    template <class Predicate>
    std::size_t erase_if(Predicate leaves) {
        auto* kept = begin();
        for (auto& one : *this) {
            if (leaves(one)) { continue; }
            if (kept != &one) { *kept = static_cast<T&&>(one); }
            ++kept;
        }
        auto const gone = static_cast<std::size_t>(end() - kept);
        truncate(size() - gone);
        return gone;
    }
    void erase_value(T value) {
        erase_if([&value](T const& one) { return one == value; });
    }

    void reserve(std::size_t n) {
        if (n > capacity()) { move_to(n); }
    }
    /// Room for n more: adding them takes no memory.
    void make_room(std::size_t n) {
        if (n <= room_.capacity - room_.size) { return; }
        if constexpr (is_plain) {
            room_.make_room(n, sizeof(T));
        } else {
            move_to(room_.grown(n));
        }
    }
    void swap(lean_vector& other) noexcept {
        auto const its = other.room_;  // not std::swap, which asks four traits of each type
        other.room_ = room_;
        room_ = its;
    }

    template <std::same_as<std::vector<T>> Vector>
    operator Vector() const {
        return Vector(begin(), end());
    }
    friend bool operator==(lean_vector const& a, lean_vector const& b) {
        auto same = a.size() == b.size();
        for (std::size_t i = 0; same && i < a.size(); ++i) { same = a[i] == b[i]; }
        return same;
    }

private:
    /// Elements need not be destroyed, and move as bytes. This asks the compiler itself: in
    /// <type_traits> it is three classes for each type.
    static constexpr bool is_plain = __is_trivially_copyable(T);

    /// To new memory, for `n` elements.
    [[gnu::cold]] void move_to(std::size_t n) {
        if constexpr (is_plain) {
            room_.move_to(n, sizeof(T));
        } else {
            static_assert(noexcept(T(static_cast<T&&>(*begin()))));
            auto* const to = static_cast<T*>(detail::room_for(n, sizeof(T)));
            auto* at = to;
            for (auto& one : *this) {
                ::new (static_cast<void*>(at++)) T(static_cast<T&&>(one));
                one.~T();
            }
            ::operator delete(room_.first);
            room_.first = to;
            room_.capacity = n;
        }
    }
    template <class... Arguments>
    T& add(Arguments&&... from) {
        auto* const made = ::new (static_cast<void*>(end())) T(static_cast<Arguments&&>(from)...);
        ++room_.size;
        return *made;
    }
    /// Makes n elements, each a copy of `value` or what T() is, where there was no memory.
    template <class... Value>
    void begin_with(std::size_t n, Value const&... value) {
        room_.take(n, sizeof(T));
        fill_up_to(n, value...);
    }
    template <class... Value>
    void add_up_to(std::size_t n, Value const&... value) {
        make_room(n - room_.size);
        fill_up_to(n, value...);
    }
    template <class... Value>
    void fill_up_to(std::size_t n, Value const&... value) {
        if constexpr (is_plain) {  // a loop that the compiler sees through
            auto* const all = static_cast<T*>(room_.first);
            for (auto i = room_.size; i < n; ++i) {
                ::new (static_cast<void*>(all + i)) T(value...);
            }
            room_.size = n;
        } else {
            while (room_.size < n) { add(value...); }
        }
    }
    void truncate(std::size_t n) noexcept {
        if constexpr (is_plain) {
            if (n < room_.size) { room_.size = n; }
        } else {
            while (room_.size > n) { static_cast<T*>(room_.first)[--room_.size].~T(); }
        }
    }

    detail::list_room room_;
};

/// 0, 1, ..., n - 1.
[[gnu::cold]] inline lean_vector<int> numbers_below(std::size_t n) {
    lean_vector<int> all(n);
    for (std::size_t i = 0; i < n; ++i) { all[i] = static_cast<int>(i); }
    return all;
}

/// 0, 1, ..., n - 1 in the order of their keys; equal ones ascend.
[[gnu::cold]] inline lean_vector<int> numbers_by(lean_vector<std::uint64_t> const& keys) {
    auto all = numbers_below(keys.size());
    std::sort(all.begin(), all.end(), [&](int a, int b) {
        auto const x = keys[static_cast<std::size_t>(a)], y = keys[static_cast<std::size_t>(b)];
        return x != y ? x < y : a < b;
    });
    return all;
}

template <class Pointer>
lean_vector(Pointer*, Pointer*) -> lean_vector<std::remove_const_t<Pointer>>;

}  // namespace collectives::inline v0
