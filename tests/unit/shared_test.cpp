// SPDX-License-Identifier: BSD-3-Clause
// Shared ownership: each object ends once, after its last owner, on whatever thread that is. And a
// transport whose functions take std::shared_ptr has the same capabilities.
#include <collectives/core/progress_lock.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/transport/capabilities.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace coll = collectives;

namespace {

struct counted_base {
    explicit counted_base(int& alive) : alive_(alive) { ++alive_; }
    counted_base(counted_base const&) = delete;
    counted_base& operator=(counted_base const&) = delete;
    ~counted_base() { --alive_; }  // not virtual: what was made is what ends

    int part = 5;

private:
    int& alive_;
};
struct other_part {
    int other = 0;
};
struct counted_whole : other_part, counted_base {
    counted_whole(int& alive, int& ended) : counted_base(alive), ended_(ended) {}
    counted_whole(counted_whole const&) = delete;
    counted_whole& operator=(counted_whole const&) = delete;
    ~counted_whole() { ++ended_; }

private:
    int& ended_;
};
struct never_known;
struct refuses_to_be {
    refuses_to_be() { throw std::runtime_error("not made"); }
};

/// Owns one of its own kind, so that its end ends another while the owner is replaced.
struct chained_owner {
    coll::shared_pointer<chained_owner> next;
};

using base_pointer = coll::shared_pointer<counted_base>;
static_assert(!std::is_convertible_v<counted_base*, base_pointer>);
static_assert(std::is_convertible_v<coll::shared_pointer<counted_whole>, base_pointer>);
static_assert(!std::is_convertible_v<base_pointer, coll::shared_pointer<counted_whole>>);
static_assert(!std::is_convertible_v<coll::shared_pointer<counted_base const>, base_pointer>);
static_assert(std::is_convertible_v<base_pointer, coll::shared_pointer<void const>>);
static_assert(std::is_nothrow_move_constructible_v<base_pointer>);
static_assert(std::is_convertible_v<std::shared_ptr<counted_whole>, base_pointer>);
static_assert(
    !std::is_convertible_v<std::shared_ptr<counted_base>, coll::shared_pointer<counted_whole>>);
static_assert(std::is_convertible_v<std::unique_ptr<counted_whole>, base_pointer>);
static_assert(
    !std::is_convertible_v<std::unique_ptr<counted_base>, coll::shared_pointer<counted_whole>>);
static_assert(
    std::is_convertible_v<coll::shared_pointer<counted_whole>, std::shared_ptr<counted_base>>);
static_assert(!std::is_convertible_v<base_pointer, std::shared_ptr<counted_whole>>);
static_assert(!std::is_convertible_v<base_pointer, std::weak_ptr<counted_base>>);

}  // namespace

TEST_CASE("a shared object ends once, after its last owner") {
    int alive = 0;
    int ended = 0;
    {
        auto const made = coll::make_shared_object<counted_whole, counted_base>(alive, ended);
        base_pointer one = made;
        CHECK(one.use_count() == 2);
        CHECK(one == made);
        base_pointer other(std::move(one));
        CHECK(one == nullptr);  // NOLINT: moved from, and so empty
        CHECK(one.use_count() == 0);
        CHECK(other->part == 5);
        CHECK((*other).part == 5);
        auto const& same = other;
        other = same;
        CHECK(other.use_count() == 2);
        other = std::move(other);  // NOLINT: to itself
        CHECK(other.use_count() == 2);
        other = nullptr;
        CHECK(made.use_count() == 1);
        CHECK(alive == 1);
    }
    CHECK(alive == 0);
    CHECK(ended == 1);

    auto first = coll::make_shared_object<chained_owner>();
    first->next = coll::make_shared_object<chained_owner>();
    first = first->next;
    CHECK(first.use_count() == 1);
    CHECK(first->next == nullptr);
}

TEST_CASE("an owner may point to a part of what it owns, or know nothing of it") {
    int alive = 0;
    int ended = 0;
    auto whole = coll::make_shared_object<counted_whole>(alive, ended);
    coll::shared_pointer<int> const part(whole, &whole->part);
    base_pointer const as_base = whole;
    coll::shared_pointer<void const> kept = as_base;
    coll::shared_pointer<never_known> const unknown(kept, nullptr);
    CHECK(part.use_count() == 5);
    CHECK(as_base.get() == whole.get());
    CHECK(kept.get() == static_cast<counted_base*>(whole.get()));
    CHECK(unknown.get() == nullptr);
    whole.reset();
    kept = nullptr;
    CHECK(alive == 1);
    CHECK(*part == 5);
}

TEST_CASE("what cannot be made is owned by nobody, and any function may end an object") {
    CHECK_THROWS_AS(coll::make_shared_object<refuses_to_be>(), std::runtime_error);
    int ends = 0;
    {
        coll::shared_pointer<void> const one(&ends, &ends,
                                             [](void* n) { ++*static_cast<int*>(n); });
        auto const two = one;  // NOLINT: a second owner is the point
        CHECK(ends == 0);
    }
    CHECK(ends == 1);
}

TEST_CASE("an object that std::shared_ptr owns, and one that it comes to own") {
    auto standard = std::make_shared<std::string>("text");
    std::weak_ptr<std::string> const watched = standard;
    coll::shared_pointer<std::string const> ours = standard;
    CHECK(standard.use_count() == 2);
    standard.reset();
    REQUIRE_FALSE(watched.expired());
    CHECK(*ours == "text");
    std::shared_ptr<void const> back = ours;
    CHECK(back.get() == ours.get());
    ours = nullptr;
    CHECK_FALSE(watched.expired());
    std::weak_ptr<void const> const outer = back;
    back.reset();
    CHECK(watched.expired());  // although the control block still exists
    CHECK(outer.expired());

    coll::shared_pointer<std::string> const none = std::shared_ptr<std::string>();
    CHECK(none == nullptr);
    CHECK(none.use_count() == 0);
    std::shared_ptr<std::string> const nothing = none;
    CHECK(nothing.use_count() == 0);
}

TEST_CASE("threads that drop an object together end it once, after all that they wrote") {
    constexpr int threads = 4;
    struct written {
        explicit written(std::atomic<int>& to) : sum(to) {}
        written(written const&) = delete;
        written& operator=(written const&) = delete;
        ~written() {
            for (auto const n : numbers) { sum += n; }
        }
        std::array<int, threads> numbers{};  // not atomic: only the order of drops protects them
        std::atomic<int>& sum;
    };
    for (int round = 0; round < 200; ++round) {
        std::atomic<int> sum = 0;
        std::atomic<int> ready = 0;
        auto one = coll::make_shared_object<written>(sum);
        std::vector<std::thread> all;
        all.reserve(threads);
        for (int i = 0; i < threads; ++i) {
            all.emplace_back([&ready, i, mine = one]() mutable {
                mine->numbers[static_cast<std::size_t>(i)] = i + 1;
                ++ready;
                while (ready < threads) { std::this_thread::yield(); }
                auto copy = mine;
                mine.reset();
            });
        }
        one.reset();
        for (auto& t : all) { t.join(); }
        REQUIRE(sum == 10);
    }
}

namespace {

/// As a program may have written it.
struct with_standard_pointers {
    struct board {};
    void keep(std::shared_ptr<void const> memory);
    void use_lock(std::shared_ptr<coll::progress_lock> of);
    std::shared_ptr<with_standard_pointers> renew(board& broken, coll::loss const& of);
};
struct with_ours {
    struct board {};
    void keep(coll::shared_pointer<void const> const& memory);
    void use_lock(coll::shared_pointer<coll::progress_lock> of);
    coll::shared_pointer<with_ours> renew(board& broken, coll::loss const& of);
};
struct with_neither : with_ours {
    void keep(int memory);
    void use_lock(std::unique_ptr<coll::progress_lock> of);
    int renew(board& broken, coll::loss const& of);
};

template <class T>
constexpr int pointer_capabilities =
    int{coll::keeps_memory<T>} + int{coll::uses_progress_lock<T>} + int{coll::renewing<T>};
static_assert(pointer_capabilities<with_standard_pointers> == 3);
static_assert(pointer_capabilities<with_ours> == 3);
static_assert(pointer_capabilities<with_neither> == 0);

}  // namespace

TEST_CASE(
    "a pointer without an owner stays one through std::shared_ptr, and std::unique_ptr hands "
    "over") {
    int number = 7;
    coll::shared_pointer<int> const bare(std::shared_ptr<int>(std::shared_ptr<void>(), &number));
    std::shared_ptr<int> const back = bare;
    CHECK(back.get() == &number);

    int alive = 0, ended = 0;
    {
        base_pointer const kept = std::make_unique<counted_whole>(alive, ended);
        auto const second = kept;
        CHECK(second->part == 5);
        CHECK(ended == 0);
    }
    CHECK(ended == 1);
    CHECK(base_pointer(std::unique_ptr<counted_whole>()) == nullptr);
}
