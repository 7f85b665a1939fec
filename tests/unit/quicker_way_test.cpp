// SPDX-License-Identifier: BSD-3-Clause
// The choice by the clock between two ways.
#include <collectives/core/quicker_way.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>

using collectives::detail::quicker_way;

namespace {

/// Goes `times` times the way that is wanted. Returns how often that was the second.
int choose_ways(quicker_way& choice, int times, std::chrono::nanoseconds first,
                std::chrono::nanoseconds second) {
    int seconds = 0;
    for (int i = 0; i < times; ++i) {
        auto const by_second = choice.wants_second();
        seconds += by_second ? 1 : 0;
        choice.note(by_second, by_second ? second : first);
    }
    return seconds;
}

constexpr std::chrono::nanoseconds slow_way{1000}, medium_way{900}, quick_way{500};

}  // namespace

TEST_CASE("it begins with the first way, tries the second soon and stays with the quicker one") {
    quicker_way choice;
    CHECK_FALSE(choice.wants_second());
    CHECK(choose_ways(choice, 4, slow_way, quick_way) == 0);
    CHECK(choice.wants_second());
    auto const times = 10'000;
    CHECK(choose_ways(choice, times, slow_way, quick_way) > times * 97 / 100);

    quicker_way other;
    CHECK(choose_ways(other, times, quick_way, slow_way) < times * 3 / 100);
    CHECK(choose_ways(other, times, quick_way, slow_way) > 0);  // it still compares

    quicker_way undecided;
    choose_ways(undecided, 100, slow_way, medium_way);  // quicker, but by less than an eighth
    CHECK(choose_ways(undecided, times, slow_way, medium_way) < times * 3 / 100);
}

TEST_CASE(
    "it finds a change: at once where its way becomes slow_way, else at the next comparison") {
    quicker_way choice;
    choose_ways(choice, 100, slow_way, quick_way);
    CHECK(choice.wants_second());
    choose_ways(choice, 100, medium_way, 3 * slow_way);  // the second way has become slow
    CHECK_FALSE(choice.wants_second());

    quicker_way patient;
    choose_ways(patient, 100'000, slow_way, quick_way);
    CHECK(patient.wants_second());
    choose_ways(patient, 200, quick_way, 3 * slow_way);
    CHECK_FALSE(patient.wants_second());

    quicker_way unaware;
    choose_ways(unaware, 100, medium_way, slow_way);
    choose_ways(unaware, 2000, medium_way, quick_way);  // the first way is as it was
    CHECK(unaware.wants_second());
}

TEST_CASE("a single late time does not count, nor does the first one after a change") {
    quicker_way choice;
    int time = 0;
    int wrong = 0;
    bool before = false;
    for (int i = 0; i < 1000; ++i) {
        auto const second = choice.wants_second();
        auto const changed = second != before;
        before = second;
        auto const late = ++time % 5 == 0 || changed;
        choice.note(second, (late ? 100 : 1) * (second ? quick_way : slow_way));
        wrong += i > 100 && !second ? 1 : 0;
    }
    CHECK(wrong < 100);
}

TEST_CASE("if nobody can go the other way it asks for it ever more rarely") {
    quicker_way choice;
    int asked = 0;
    for (int i = 0; i < 10'000; ++i) {
        asked += choice.wants_second() ? 1 : 0;
        choice.note(false, slow_way);
    }
    CHECK(asked > 0);
    CHECK(asked < 300);
    CHECK(choose_ways(choice, 3000, slow_way, quick_way) > 1500);  // now somebody can
}
