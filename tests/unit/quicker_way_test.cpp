// SPDX-License-Identifier: BSD-3-Clause
// The choice by the clock between two ways.
#include <collectives/core/quicker_way.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>

using collectives::detail::quicker_way;

namespace {

/// Goes `times` times the way that is wanted. Returns how often that was the second.
int choose_ways(quicker_way& choice, int times, double first, double second) {
    int seconds = 0;
    for (int i = 0; i < times; ++i) {
        auto const by_second = choice.wants_second();
        seconds += by_second ? 1 : 0;
        choice.note(by_second, by_second ? second : first);
    }
    return seconds;
}

constexpr double slow_way = 1000, medium_way = 900, quick_way = 500;

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
    "it begins with its favourite, and leaves that only for a way that is quicker by an eighth") {
    auto const times = 10'000;
    quicker_way faithful(true);
    CHECK(faithful.wants_second());
    CHECK(choose_ways(faithful, times, medium_way, slow_way) > times * 97 / 100);
    quicker_way other(true);
    choose_ways(other, 100, quick_way, slow_way);
    CHECK(choose_ways(other, times, quick_way, slow_way) < times * 3 / 100);
}

TEST_CASE("it returns to its favourite if nobody can go the other way") {
    quicker_way choice(true);
    int seconds = 0;
    for (int i = 0; i < 10'000; ++i) {
        if (choice.wants_second()) {
            choice.note(true, slow_way);
            ++seconds;
        } else {
            choice.note_stray();
        }
    }
    CHECK(seconds > 5'000);
}

TEST_CASE("it finds a change, and sooner where its own way becomes slow") {
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
    for (bool const in_part : {false, true}) {
        quicker_way choice;
        int asked = 0;
        for (int i = 0; i < 100'000; ++i) {
            asked += choice.wants_second() ? 1 : 0;
            if (in_part && choice.wants_second()) {
                choice.note_stray();
            } else {
                choice.note(false, slow_way);
            }
        }
        CHECK(asked > 0);
        CHECK(asked < 30'000);
        CHECK(choose_ways(choice, 10'000, slow_way, quick_way) > 5'000);  // now somebody can
    }
}

TEST_CASE("it finds the quicker way though those that it asks follow late") {
    for (std::size_t late = 0; late <= 64; ++late) {
        CAPTURE(late);
        for (bool const second_is_quick : {false, true}) {
            quicker_way choice;
            std::deque<bool> under_way;
            int right = 0;
            constexpr int times = 20'000;
            for (int i = 0; i < times; ++i) {
                under_way.push_back(choice.wants_second());
                if (under_way.size() <= late) { continue; }
                auto const second = under_way.front();
                under_way.pop_front();
                right += second == second_is_quick ? 1 : 0;
                choice.note(second, second == second_is_quick ? quick_way : slow_way);
            }
            CHECK(right > times * 9 / 10);
        }
    }
}
