// SPDX-License-Identifier: BSD-3-Clause
// An owner that is light to compile. The library owns many types of objects by pointers, and each
// costs std::unique_ptr about ten classes of the standard library: docs/lab/weight.md has the
// figures.
#pragma once

namespace collectives::inline v0 {

/// Owns an object that `new` made, as std::unique_ptr does, under the same names, or nothing.
template <class T>
class owned {
public:
    owned() = default;
    owned(decltype(nullptr)) {}
    explicit owned(T* its) : its_(its) {}
    template <class Derived>
    owned(owned<Derived>&& other) noexcept : its_(other.release()) {}
    owned(owned&& other) noexcept : its_(other.its_) { other.its_ = nullptr; }
    owned& operator=(owned&& other) noexcept {
        reset(other.release());
        return *this;
    }
    ~owned() {
        if (its_ != nullptr) { end(its_); }
    }

    T* get() const { return its_; }
    T& operator*() const { return *its_; }
    T* operator->() const { return its_; }
    explicit operator bool() const { return its_ != nullptr; }
    friend bool operator==(owned const& it, decltype(nullptr)) { return it.its_ == nullptr; }

    T* release() {
        auto* const result = its_;
        its_ = nullptr;
        return result;
    }
    void reset(T* its = nullptr) {
        auto* const old = its_;
        its_ = its;
        if (old != nullptr) { end(old); }
    }

private:
    [[gnu::cold]] static void end(T* its) {
        static_assert(sizeof(T) > 0, "known in full where it ends");
        delete its;
    }

    T* its_ = nullptr;
};

template <class T, class... Arguments>
[[gnu::cold]] owned<T> make_owned(Arguments&&... from) {
    return owned<T>(new T(static_cast<Arguments&&>(from)...));
}

}  // namespace collectives::inline v0
