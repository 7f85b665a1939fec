// SPDX-License-Identifier: BSD-3-Clause
// lean_list does what std::vector does: random calls on both, and in the compiler.
#include <collectives/core/lean_list.hpp>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace coll = collectives;

namespace {

/// Its text is too long to be stored within a string object. A copy throws where `copies_left`
/// says so.
struct element {
    inline static int copies_left = -1;  // -1: as many as wanted

    element() = default;
    element(int n) : text("an element with the number " + std::to_string(n)) {}
    element(element const& other) : text(other.text) { count_copy(); }
    element(element&&) noexcept = default;
    element& operator=(element const& other) {
        count_copy();
        text = other.text;
        return *this;
    }
    element& operator=(element&&) noexcept = default;
    friend bool operator==(element const&, element const&) = default;

    static void count_copy() {
        if (copies_left == 0) { throw std::runtime_error("no copy"); }
        if (copies_left > 0) { --copies_left; }
    }
    std::string text;
};
using elements = coll::lean_list<element>;

constexpr int sum_of_a_list() {
    coll::lean_list<int> all{1, 2, 3};
    for (int i = 4; i <= 20; ++i) { all.push_back(i); }
    all.erase(all.begin());
    all.insert(all.begin() + 1, 100);
    auto const copied = all;
    auto const moved = std::move(all);
    all.push_back(7);
    int sum = copied == moved && all.size() == 1 ? 0 : -1000;
    for (int const one : moved) { sum += one; }
    return sum;
}
static_assert(sum_of_a_list() == 20 * 21 / 2 - 1 + 100);

}  // namespace

TEST_CASE("random calls leave a lean_list as they leave std::vector") {
    CHECK(rc::check("both hold the same", [] {
        elements ours, our_other;
        std::vector<element> theirs, their_other;
        auto const calls = *rc::gen::inRange(0, 60);
        for (int call = 0; call < calls; ++call) {
            auto const size = theirs.size();
            auto const n = *rc::gen::inRange<std::size_t>(0, 20);
            auto const at = *rc::gen::inRange<std::size_t>(0, size + 1);
            auto const from = static_cast<std::ptrdiff_t>(at);
            element const one(call);
            switch (*rc::gen::inRange(0, 11)) {
                case 0: ours.push_back(one), theirs.push_back(one); break;
                case 1: ours.emplace_back(call), theirs.emplace_back(call); break;
                case 2:
                    ours.insert(ours.begin() + from, one),
                        theirs.insert(theirs.begin() + from, one);
                    break;
                case 3:
                    if (at == size) { break; }
                    ours.erase(ours.begin() + from), theirs.erase(theirs.begin() + from);
                    break;
                case 4: ours.resize(n), theirs.resize(n); break;
                case 5:
                    if (size == 0) { break; }
                    ours.resize(2 * size + n, ours.front()),
                        theirs.resize(2 * size + n, theirs.front());
                    break;
                case 6: our_other = ours, their_other = theirs; break;
                case 7: ours = std::move(our_other), theirs = std::move(their_other); break;
                case 8: ours.clear(), theirs.clear(); break;
                case 9: ours.swap(our_other), theirs.swap(their_other); break;
                default: ours = elements(theirs.begin(), theirs.end());
            }
            if (their_other.empty()) { RC_ASSERT(our_other.empty()); }
        }
        auto const& same = ours;
        ours = same;
        RC_ASSERT(ours.size() == theirs.size());
        RC_ASSERT(std::equal(ours.begin(), ours.end(), theirs.begin()));
        RC_ASSERT(std::equal(same.rbegin(), same.rend(), theirs.rbegin()));
        std::vector<element> const back = ours;
        RC_ASSERT(back == theirs);
        RC_ASSERT(ours == elements(theirs));
        RC_ASSERT(std::vector<element>(ours) == theirs);
        if (!theirs.empty()) { RC_ASSERT(ours.back() == theirs.back()); }
    }));
}

TEST_CASE("a copy of a lean_list that throws leaves nothing behind, and the list as it was") {
    elements const all{1, 2, 3};
    for (int const copies : {0, 1, 2}) {
        element::copies_left = copies;
        CHECK_THROWS_AS(elements{all}, std::runtime_error);
        element::copies_left = copies;
        CHECK_THROWS_AS(elements(5, all[0]), std::runtime_error);
    }
    element::copies_left = -1;
    CHECK(all == elements{1, 2, 3});
}
