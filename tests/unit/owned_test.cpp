// SPDX-License-Identifier: BSD-3-Clause
// The owner: each object is destroyed once, whatever moves.
#include <collectives/core/owned.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>

namespace coll = collectives;

namespace {

struct base {
    explicit base(int& alive) : alive_(alive) { ++alive_; }
    base(base const&) = delete;
    base& operator=(base const&) = delete;
    virtual ~base() { --alive_; }
    virtual int value() const { return 1; }

private:
    int& alive_;
};
struct extended : base {
    extended(int& alive, int what) : base(alive), value_(what) {}
    int value() const override { return value_; }

private:
    int value_;
};

/// Owns itself through a member, so that its end ends the owner's object while that is replaced.
struct chain {
    coll::owned<chain> next;
};

}  // namespace

TEST_CASE("an owner destroys its object once") {
    int alive = 0;
    {
        auto one = coll::make_owned<base>(alive);
        CHECK(one);
        CHECK(alive == 1);
        coll::owned<base> other(std::move(one));
        CHECK(one == nullptr);
        CHECK(other->value() == 1);
        other = coll::make_owned<extended>(alive, 7);
        CHECK(alive == 1);
        CHECK((*other).value() == 7);
        other = nullptr;
        CHECK(alive == 0);
        CHECK_FALSE(other);
        other.reset(new extended(alive, 3));
        base* const given_up = other.release();
        CHECK(other.get() == nullptr);
        CHECK(alive == 1);
        delete given_up;
        other = coll::make_owned<base>(alive);
    }
    CHECK(alive == 0);
}

TEST_CASE("an owner may be given what its own object owns") {
    auto first = coll::make_owned<chain>();
    first->next = coll::make_owned<chain>();
    auto* const second = first->next.get();
    first = std::move(first->next);
    CHECK(first.get() == second);
    auto& same = first;
    first = std::move(same);
    CHECK(first.get() == second);
}

static_assert(!std::is_copy_constructible_v<coll::owned<base>>);
static_assert(!std::is_convertible_v<base*, coll::owned<base>>);
