// SPDX-License-Identifier: BSD-3-Clause
// Finds out by the clock which of two ways to do the same thing is the quicker one.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace collectives::inline v0::detail {

/// A choice between a first way and a second one, by the times that each took. It begins with the
/// first way, tries the second, and stays with that only if it is quicker by an eighth. It compares
/// both again after some times, and sooner where this way now takes longer than the other one did.
/// While the answer stays the same, it waits ever longer before the next comparison, the more so if
/// the answer is clear.
class quicker_way {
public:
    /// Which way to go next.
    bool wants_second() const { return second_; }

    /// Something was done in `took`, by the second way or the first one. Whoever does it may be
    /// late to follow `wants_second`, or may be unable to.
    void note(bool second, std::chrono::nanoseconds took) {
        if (second != second_) {
            if (++strays_ == patience_with_strays) { settle(second); }
            return;
        }
        strays_ = 0;
        if (std::exchange(fresh_, false)) { return; }
        best_of(second_) = std::min(best_of(second_), took);
        if (stage_ == stage::settled && has_become_slow(took)) {
            try_other();
        } else if (--left_ == 0) {
            go_on();
        }
    }

private:
    enum class stage { settled, measures_again, tries_other };
    using time = std::chrono::nanoseconds;
    // The least of so many times counts, for a rank may lose its processor meanwhile.
    static constexpr int looks = 3;
    static constexpr int least_calm = 8, most_calm = 1024, patience_with_strays = 8;

    time& best_of(bool second) { return best_[second ? 1 : 0]; }

    static bool is_longer(time a, time b) { return a - b > b / 8; }
    /// Whether it has taken longer than the other way did, so often in a row that this must be new.
    bool has_become_slow(time took) {
        if (!is_longer(took, best_of(!second_))) {
            in_a_row_ = 0;
            best_of(second_) = time::max();
            return false;
        }
        return ++in_a_row_ >= std::max(looks, calm_ / 8);
    }
    void go_on() {
        switch (stage_) {
            case stage::settled:
                best_of(second_) = time::max();
                stage_ = stage::measures_again;
                left_ = looks;
                break;
            case stage::measures_again: try_other(); break;
            case stage::tries_other: settle(is_longer(best_of(false), best_of(true))); break;
        }
    }
    void try_other() {
        stage_ = stage::tries_other;
        turn_to(!second_);
        best_of(second_) = time::max();
        left_ = looks;
    }
    void settle(bool second) {
        auto const is_clear = best_of(!second) / 3 > best_of(second) / 2;
        auto const first_time = calm_ == 1;
        if (second != settled_ && !first_time) {
            calm_ = least_calm;
        } else {
            calm_ = std::min(calm_ * (is_clear && !first_time ? 8 : 2), most_calm);
        }
        settled_ = second;
        turn_to(second);
        stage_ = stage::settled;
        best_of(second) = time::max();
        left_ = calm_;
        in_a_row_ = 0;
    }
    void turn_to(bool second) {
        fresh_ = second != second_;
        second_ = second;
        strays_ = 0;
    }

    stage stage_ = stage::measures_again;
    bool second_ = false, settled_ = false;
    bool fresh_ = true;  // the next time does not count: caches hold what the other way used
    int left_ = looks;   // times until the next stage
    int calm_ = 1;       // the first comparison counts little: memory may be new
    int in_a_row_ = 0, strays_ = 0;
    std::array<time, 2> best_{time::max(), time::max()};
};

}  // namespace collectives::detail
