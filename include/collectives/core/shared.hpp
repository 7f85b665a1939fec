// SPDX-License-Identifier: BSD-3-Clause
// Shared ownership that is light to compile. Each type costs std::shared_ptr several classes of the
// standard library and std::make_shared a control block: docs/lab/weight.md has the figures.
#pragma once

#include <atomic>

namespace collectives::inline v0 {

namespace detail {

/// Counts the owners of an object and ends it after the last one.
class owner_count {
public:
    /// One owner, of the object `its`. Calls `end(its)` at once if this throws.
    [[gnu::cold]] static owner_count* begin(void* its, void (*end)(void*)) {
        try {
            return new owner_count(its, end);
        } catch (...) {
            end(its);
            throw;
        }
    }

    long owners() const { return owners_.load(std::memory_order_relaxed); }
    /// For one more owner. The caller is, or copies from, an owner.
    void add() { owners_.fetch_add(1, std::memory_order_relaxed); }
    /// One owner fewer. What each owner did comes before the end of the object.
    void drop() {
        if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) { finish(); }
    }

private:
    owner_count(void* its, void (*end)(void*)) : its_(its), end_(end) {}
    [[gnu::cold]] void finish() {
        end_(its_);
        delete this;
    }

    std::atomic<long> owners_{1};
    void* its_;
    void (*end_)(void*);
};

template <class T>
[[gnu::cold]] void delete_as(void* its) {
    delete static_cast<T*>(its);
}

/// Recognises std::shared_ptr<U> without its header.
template <class P, class U>
concept standard_shared = requires(P p, typename P::weak_type w) {
    P(w.lock());
    p.use_count();
    static_cast<U*>(p.get());
};
/// Recognises std::unique_ptr<U> likewise.
template <class P, class U>
concept standard_unique = requires(P p, typename P::deleter_type end) {
    static_cast<U*>(p.release());
    end(p.get());
};
template <class From, class To>
concept pointer_to = requires(From* from, void (*take)(To*)) { take(from); };

}  // namespace detail

/// Owns an object together with others, as std::shared_ptr does, under the same names, or nothing.
/// std::shared_ptr converts to it and it to std::shared_ptr: both then own the object. A
/// std::unique_ptr converts to it. T may be incomplete wherever the object is not made.
template <class T>
class shared_pointer {
public:
    using element_type = T;

    shared_pointer() = default;
    shared_pointer(decltype(nullptr)) {}
    shared_pointer(shared_pointer const& other) : its_(other.its_), count_(other.count_) {
        if (count_ != nullptr) { count_->add(); }
    }
    shared_pointer(shared_pointer&& other) noexcept : its_(other.its_), count_(other.count_) {
        other.its_ = nullptr;
        other.count_ = nullptr;
    }
    /// The first owner of `whole`: the last one calls `end(whole)`. Points to `its`, a part of it.
    [[gnu::cold]] shared_pointer(T* its, void* whole, void (*end)(void*))
        : its_(its), count_(detail::owner_count::begin(whole, end)) {}
    template <detail::pointer_to<T> U>
    shared_pointer(shared_pointer<U> other) noexcept : its_(other.its_), count_(other.count_) {
        other.its_ = nullptr;
        other.count_ = nullptr;
    }
    /// Points to a part of what `whole` owns, or to what lives as long.
    template <class U>
    shared_pointer(shared_pointer<U> whole, T* its) noexcept : its_(its), count_(whole.count_) {
        whole.its_ = nullptr;
        whole.count_ = nullptr;
    }
    /// Keeps an owner of the standard library, std::shared_ptr or std::unique_ptr.
    template <template <class...> class P, class U, class... End>
        requires(detail::standard_shared<P<U, End...>, U> ||
                 detail::standard_unique<P<U, End...>, U>) &&
                detail::pointer_to<U, T>
    shared_pointer(P<U, End...> other) : its_(other.get()) {
        using owner = P<U, End...>;
        if (its_ == nullptr) { return; }
        auto* const kept = new owner(static_cast<owner&&>(other));
        count_ = detail::owner_count::begin(kept, detail::delete_as<owner>);
    }
    shared_pointer& operator=(shared_pointer other) noexcept {
        auto* const its = its_;
        auto* const count = count_;
        its_ = other.its_;
        count_ = other.count_;
        other.its_ = its;
        other.count_ = count;
        return *this;
    }
    ~shared_pointer() {
        if (count_ != nullptr) { count_->drop(); }
    }

    template <template <class> class P, class U>
        requires detail::standard_shared<P<U>, U> && detail::pointer_to<T, U>
    operator P<U>() const {
        if (count_ == nullptr) { return P<U>(P<U>(), its_); }
        return P<U>(its_, [kept = *this](auto*) mutable { kept.reset(); });
    }

    T* get() const { return its_; }
    decltype(auto) operator*() const { return *its_; }
    T* operator->() const { return its_; }
    explicit operator bool() const { return its_ != nullptr; }
    friend bool operator==(shared_pointer const& it, decltype(nullptr)) {
        return it.its_ == nullptr;
    }
    friend bool operator==(shared_pointer const& a, shared_pointer const& b) {
        return a.its_ == b.its_;
    }
    /// How many own the object. Others may change it meanwhile.
    long use_count() const { return count_ == nullptr ? 0 : count_->owners(); }
    void reset() { *this = shared_pointer(); }

private:
    template <class>
    friend class shared_pointer;
    T* its_ = nullptr;
    detail::owner_count* count_ = nullptr;
};

/// A new object with one owner. `As`: a base of T.
template <class T, class As = T, class... Arguments>
[[gnu::cold]] shared_pointer<As> make_shared_object(Arguments&&... from) {
    auto* const made = new T(static_cast<Arguments&&>(from)...);
    return {made, made, detail::delete_as<T>};
}

}  // namespace collectives
