// SPDX-License-Identifier: BSD-3-Clause
// The example's replay: what it refuses, and times that can be calculated by hand.
#include "network.hpp"
#include "replay.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace pipeline;

TEST_CASE("both schedules have the bubble of the formula, and 1F1B has fewer live micro-batches") {
    for (auto const& schedule : schedules()) {
        auto const lists = schedule.of_all(4, 8);
        auto const replayed = replay(lists, pass_times::equal(4, 1, 1));
        CHECK(replayed.total == 22);
        CHECK(replayed.idle_share() == doctest::Approx(3.0 / 11));
        CHECK(bubble(4, 8) == doctest::Approx(3.0 / 11));
    }
    for (int stage = 0; stage < 4; ++stage) {
        CHECK(most_live(gpipe(4, stage, 8)) == 8);
        CHECK(most_live(one_f_one_b(4, stage, 8)) == 4 - stage);
        CHECK(most_live(one_f_one_b(4, stage, 2)) == (stage < 3 ? 2 : 1));
    }
    CHECK_NOTHROW(prove_bubble(6, 20));
}

TEST_CASE("passes of a stage do not overlap, and none begins before its input has come") {
    pass_times const times{{3, 1, 2}, {5, 4, 6}, 0.5};
    for (auto const& schedule : schedules()) {
        auto const stages = replay(schedule.of_all(3, 7), times).stages;
        auto const end = [&](std::size_t s, task const& t) {
            for (auto const& i : stages[s]) {
                if (i.work.what == t.what && i.work.micro_batch == t.micro_batch) { return i.end; }
            }
            throw std::logic_error("a pass is missing");
        };
        for (std::size_t s = 0; s < 3; ++s) {
            double free = 0;
            for (auto const& i : stages[s]) {
                CHECK(i.start >= free);
                free = i.end;
                bool const forward = i.work.what == pass::forward;
                CHECK(i.end - i.start == (forward ? times.forward : times.backward)[s]);
                if (s != (forward ? 0U : 2U)) {
                    CHECK(i.start >= end(forward ? s - 1 : s + 1, i.work) + times.message);
                }
            }
        }
    }
}

TEST_CASE("messages: GPipe waits for them on the way there and back, 1F1B each time around") {
    auto times = pass_times::equal(4, 1, 2);
    times.message = 0.5;
    CHECK(replay(schedules()[0].of_all(4, 8), times).total == 11 * 3 + 2 * 3 * 0.5);
    CHECK(replay(schedules()[1].of_all(4, 8), times).total > 11 * 3 + 2 * 3 * 0.5);
}

TEST_CASE("lists that no pipeline can run are refused") {
    task const f0{pass::forward, 0}, f1{pass::forward, 1};
    task const b0{pass::backward, 0}, b1{pass::backward, 1};
    auto const refused = [](std::vector<task_list> const& lists) {
        auto const stages = static_cast<int>(lists.size());
        CHECK_THROWS_AS(replay(lists, pass_times::equal(stages, 1, 1)), std::logic_error);
    };
    CHECK_NOTHROW(replay({{f0, f1, b0, b1}, {f0, b0, f1, b1}}, pass_times::equal(2, 1, 1)));
    refused({{f0, b0, f1, b1}, {f0, f1, b0, b1}});  // B0 waits for F1, and F1 for B0
    refused({{b0, f0}});                            // backward before forward
    refused({{f0, b0, b0, b0}});                    // one that stands there thrice
    refused({{f0, f0, b0, b0}});
    refused({{f0, f1, b0, b1}, {f0, f1, b0}});  // one is missing
    refused({{f0, f1, b0}, {f0, f1, b0, b1}});
    refused({{f1, b1}});  // of two micro-batches the first is missing
    refused({});
}

TEST_CASE("a network cut into stages has the outputs and the gradient of the whole") {
    auto const parameters = first_parameters(5);
    auto const batch = spiral(7);
    std::vector<double> whole(parameters.size()), cut(parameters.size());
    auto const expected = whole_gradient(parameters, batch, whole);

    std::span const all(parameters);
    auto const of_first = forward(all.first(2 * layer_size), batch.at);
    auto const of_second = forward(all.subspan(2 * layer_size), of_first.back());
    auto const last = loss(of_second.back(), batch.arm, 7);
    std::span const to(cut);
    auto const derivative = backward(all.subspan(2 * layer_size), of_second, last.derivative,
                                     to.subspan(2 * layer_size));
    backward(all.first(2 * layer_size), of_first, derivative, to.first(2 * layer_size));
    CHECK(last.loss == expected);
    CHECK(cut == whole);
}
