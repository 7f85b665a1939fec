// SPDX-License-Identifier: BSD-3-Clause
// Finds out by the clock which of two ways to do the same thing is the quicker one.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace collectives::inline v0::detail {

/// A choice between a first way and a second one, by the times that each took. It begins with its
/// favourite, tries the other, and stays with that only if it is quicker by an eighth. It compares
/// both again after some times, and sooner if the chosen way has become the slower one. While the
/// answer stays the same, it waits ever longer before the next comparison, the more so if the
/// answer is clear. A trial ends without an answer if the way that is wanted is not taken.
class quicker_way {
public:
    quicker_way() = default;  ///< favours the first way
    explicit quicker_way(bool favours_second)
        : second_(favours_second), settled_(favours_second), favourite_(favours_second) {}

    /// Which way to go next.
    bool wants_second() const { return second_; }

    /// Something was done by the second way or the first one. `time` is in a unit of the caller's.
    /// Whoever does it may follow `wants_second` late, or not at all.
    void note(bool second, double time) {
        if (second != second_) { return note_stray(); }
        strays_ = 0;
        if (std::exchange(fresh_, false)) { return; }
        best_of(second_) = std::min(best_of(second_), time);
        if (stage_ == stage::settled && has_become_slow(time)) {
            try_other();
        } else if (--left_ == 0) {
            go_on();
        }
    }
    /// Something was not done by the way that is wanted, or not by that alone.
    void note_stray() {
        if (stage_ != stage::tries_other || ++strays_ < patience_) { return; }
        patience_ = std::min(2 * patience_, most_patience);
        settle(settled_, false);
    }

private:
    enum class stage { settled, measures_again, tries_other };
    static constexpr auto unknown = std::numeric_limits<double>::infinity();
    // The least of so many times counts, for a rank may lose its processor meanwhile.
    static constexpr int looks = 3;
    static constexpr int least_calm = 8, most_calm = 1024, least_patience = 8, most_patience = 256;

    double& best_of(bool second) { return best_[second ? 1 : 0]; }

    static bool is_longer(double a, double b) { return a > 1.125 * b; }
    /// Whether the chosen way has taken longer than the other one did, many times in a row.
    bool has_become_slow(double time) {
        if (!is_longer(time, best_of(!second_))) {
            in_a_row_ = 0;
            best_of(second_) = unknown;
            return false;
        }
        return ++in_a_row_ >= std::max(looks, calm_ / 8);
    }
    void go_on() {
        switch (stage_) {
            case stage::settled:
                best_of(second_) = unknown;
                stage_ = stage::measures_again;
                left_ = looks;
                break;
            case stage::measures_again: try_other(); break;
            case stage::tries_other:
                settle(is_longer(best_of(favourite_), best_of(!favourite_)) != favourite_,
                       std::max(best_[0], best_[1]) > 1.5 * std::min(best_[0], best_[1]));
                break;
        }
    }
    void try_other() {
        stage_ = stage::tries_other;
        turn_to(!second_);
        best_of(second_) = unknown;
        left_ = looks;
    }
    void settle(bool second, bool is_clear) {
        auto const first_time = calm_ == 1;
        if (second != settled_ && !first_time) {
            calm_ = least_calm;
        } else {
            calm_ = std::min(calm_ * (is_clear && !first_time ? 8 : 2), most_calm);
        }
        settled_ = second;
        turn_to(second);
        stage_ = stage::settled;
        best_of(second) = unknown;
        left_ = calm_;
        in_a_row_ = 0;
    }
    void turn_to(bool second) {
        fresh_ = second != second_;
        second_ = second;
        strays_ = 0;
    }

    stage stage_ = stage::measures_again;
    bool second_ = false, settled_ = false, favourite_ = false;
    bool fresh_ = true;  // the next time does not count: caches hold what the other way used
    int left_ = looks;   // times until the next stage
    int calm_ = 1;       // times between comparisons; the first one counts little: memory is new
    int in_a_row_ = 0, strays_ = 0, patience_ = least_patience;
    std::array<double, 2> best_{unknown, unknown};
};

}  // namespace collectives::detail
