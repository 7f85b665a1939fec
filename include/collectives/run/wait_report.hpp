// SPDX-License-Identifier: BSD-3-Clause
// What a rank that waits tells the others of it, and asks them.
#pragma once

#include <collectives/core/timeout.hpp>
#include <collectives/run/activity.hpp>
#include <collectives/transport/any_transport.hpp>

#include <algorithm>
#include <chrono>

namespace collectives::inline v0::detail {

/// How often a rank that waits looks for a reason.
inline constexpr std::chrono::milliseconds look_interval{20};

/// Publishes on the board where this rank waits, and asks the others where they wait. While it asks
/// for an activity that timed out, the board shows where that one waits, whatever else the rank
/// does. So its peers know what they are asked about.
class wait_report {
public:
    [[gnu::cold]] void publish(any_board& board, activity const& of) {
        if (asks() && asked_for_ != &of) { return; }
        board.publish_wait(of.where());
        published_on_ = &board;
    }
    void go_on() {
        if (published_on_ != nullptr) [[unlikely]] { take_back(); }
    }
    /// The same; and `a` ends.
    void end(activity const& a) {
        if (asked_for_ == &a) { asked_for_ = nullptr; }
        go_on();
    }
    /// Whether it asks for an activity that still waits.
    bool asks() const { return asked_for_ != nullptr && !asked_for_->done && !asked_for_->thrown; }
    /// Asks the ranks that `a` waits for what they have called, where that takes messages. Once its
    /// time has run out, asks all where they wait. False as long as they may still answer, or
    /// report a failure: they get a moment, in which the caller looks again after a `pause`.
    [[gnu::cold]] bool ask(any_board& board, any_transport& t, activity const& a) {
        t.receive_control({});  // first the reason why a peer left, then that it left
        if (board.stopped()) { return true; }
        if (a.only_peer < 0) {
            board.ask(a.call.sequence);
        } else {
            board.watch(a.only_peer);
        }
        auto const now = steady::now();
        constexpr auto longest = 5 * look_interval;
        if (now < a.deadline) { return true; }
        if (asked_for_ != &a) {  // a board asks for one of them at a time
            if (asks() && now - since_ < longest) { return false; }
            asked_for_ = &a;
            since_ = now;
            publish(board, a);
        }
        auto const state = board.inquire();
        auto const most = state == inquiry_state::yielded ? longest : 2 * look_interval;
        if (state != inquiry_state::answered && now - since_ < most) { return false; }
        asked_for_ = nullptr;
        return true;
    }
    /// The time until the next look, where so much is left until the deadline.
    std::chrono::nanoseconds pause(std::chrono::nanoseconds left) const {
        if (asks()) { return std::chrono::milliseconds(1); }
        return std::clamp<std::chrono::nanoseconds>(left, std::chrono::nanoseconds(1),
                                                    look_interval);
    }

private:
    [[gnu::cold, gnu::noinline]] void take_back() {
        if (asks()) { return; }
        published_on_->publish_wait({});
        published_on_ = nullptr;
    }

    any_board* published_on_ = nullptr;    // null: it goes on
    activity const* asked_for_ = nullptr;  // null: nobody is asked
    steady::time_point since_{};
};

}  // namespace collectives::detail
