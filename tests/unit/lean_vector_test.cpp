// SPDX-License-Identifier: BSD-3-Clause
// lean_vector does what std::vector does: random calls on both, with elements that are counted.
#include <collectives/core/lean_vector.hpp>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace coll = collectives;

namespace {

/// Knows how many of its kind exist. Its text is too long to be stored within a string object. A
/// copy throws where `copies_left` says so.
struct counted {
    inline static int alive = 0;
    inline static int copies_left = -1;  // -1: as many as wanted

    counted() { ++alive; }
    counted(int n) : text("an element with the number " + std::to_string(n)) { ++alive; }
    counted(counted const& other) : text(other.text) {
        if (copies_left == 0) { throw std::runtime_error("no copy"); }
        if (copies_left > 0) { --copies_left; }
        ++alive;
    }
    counted(counted&& other) noexcept : text(std::move(other.text)) { ++alive; }
    counted& operator=(counted const&) = default;
    counted& operator=(counted&&) noexcept = default;
    ~counted() { --alive; }
    friend bool operator==(counted const&, counted const&) = default;

    std::string text;
};

template <class T>
bool same(coll::lean_vector<T> const& a, std::vector<T> const& b) {
    return std::vector<T>(a) == b && a.size() == b.size() && a.empty() == b.empty() &&
           a.capacity() >= a.size() &&
           (b.empty() || (a.front() == b.front() && a.back() == b.back()));
}

/// One random call on both.
template <class T>
void change(coll::lean_vector<T>& a, std::vector<T>& b) {
    auto const n = *rc::gen::inRange<std::size_t>(0, 20);
    T const value(*rc::gen::inRange(0, 6));
    auto const at = *rc::gen::inRange<std::size_t>(0, b.size() + 1);
    auto const there = static_cast<std::ptrdiff_t>(at);
    auto const is_value = [&](T const& one) { return one == value; };
    switch (*rc::gen::inRange(0, 14)) {
        case 0: RC_ASSERT(a.push_back(value) == value), b.push_back(value); break;
        case 1: a.emplace_back(7), b.emplace_back(7); break;
        case 2: a.resize(n), b.resize(n); break;
        case 3: a.resize(n, value), b.resize(n, value); break;
        case 4: a.assign(n, value), b.assign(n, value); break;
        case 5: {
            std::vector<T> const other(n, value);
            a.assign(other.begin(), other.end()), b.assign(other.begin(), other.end());
            break;
        }
        case 6:
            RC_ASSERT(*a.insert(a.begin() + at, value) == value),
                b.insert(b.begin() + there, value);
            break;
        case 7:
            if (at < b.size()) {
                RC_ASSERT(a.erase(a.begin() + at) == a.begin() + at), b.erase(b.begin() + there);
            }
            break;
        case 8: RC_ASSERT(a.erase_if(is_value) == std::erase_if(b, is_value)); break;
        case 9: a.erase_value(value), std::erase(b, value); break;
        case 10: a.clear(), b.clear(); break;
        case 11:
            if (!b.empty()) { a.pop_back(), b.pop_back(); }
            break;
        case 12: {  // an element of its own, which moves when the vector grows
            if (at < b.size()) { a.push_back(a[at]), b.push_back(T(b[at])); }
            break;
        }
        case 13: {
            coll::lean_vector<T> const more(n, value);
            a.append(more.begin(), more.end());
            b.insert(b.end(), n, value);
            break;
        }
    }
    RC_ASSERT(same(a, b));
}

template <class T>
bool behaves_like_a_vector() {
    return rc::check([] {
        coll::lean_vector<T> a;
        std::vector<T> b;
        auto const calls = *rc::gen::inRange(0, 60);
        for (int i = 0; i < calls; ++i) { change(a, b); }
        auto copy = a;
        RC_ASSERT(copy == a);
        auto const moved = std::move(a);
        RC_ASSERT(same(moved, b));
        RC_ASSERT(a.empty());
        a = copy;
        RC_ASSERT(same(a, b));
        a = coll::lean_vector<T>(b);
        RC_ASSERT(same(a, b));
        auto& itself = a;
        a = itself;
        a = std::move(itself);
        RC_ASSERT(same(a, b));
    });
}

}  // namespace

TEST_CASE("a lean_vector does what a std::vector does") {
    CHECK(behaves_like_a_vector<int>());
    auto const before = counted::alive;
    CHECK(behaves_like_a_vector<counted>());
    CHECK(counted::alive == before);
}

TEST_CASE("a lean_vector keeps what it has where a copy throws, and loses nothing") {
    auto const before = counted::alive;
    {
        coll::lean_vector<counted> const all{1, 2, 3, 4, 5, 6, 7};
        for (int copies = 0; copies < 7; ++copies) {
            counted::copies_left = copies;
            CHECK_THROWS_AS(coll::lean_vector<counted>(all.begin(), all.end()), std::runtime_error);
            coll::lean_vector<counted> other;
            counted::copies_left = copies;
            CHECK_THROWS_AS(other.append(all.begin(), all.end()), std::runtime_error);
            counted::copies_left = -1;
            CHECK(other.size() == static_cast<std::size_t>(copies));
            other.assign(1, 9);
            counted::copies_left = 0;
            CHECK_THROWS_AS(other.push_back(all[0]), std::runtime_error);
            counted::copies_left = -1;
            CHECK(other == coll::lean_vector<counted>{9});
        }
    }
    CHECK(counted::alive == before);
}

TEST_CASE("a lean_vector of more elements than memory can hold throws") {
    coll::lean_vector<int> all{1, 2};
    CHECK_THROWS_AS(all.reserve(std::size_t{1} << 62), std::bad_array_new_length);
    CHECK_THROWS_AS(all.resize(~std::size_t{0}), std::bad_alloc);
    CHECK(all == coll::lean_vector<int>{1, 2});
}
