// SPDX-License-Identifier: BSD-3-Clause
// What a rank that waits tells the others of it, and asks them.
#pragma once

#include <collectives/core/timeout.hpp>
#include <collectives/run/activity.hpp>
#include <collectives/transport/any_transport.hpp>

#include <chrono>

namespace collectives::inline v0::detail {

/// Says on the board where this rank waits.
class standing {
public:
    [[gnu::cold]] void tell(any_board& board, activity const& of) {
        board.stand(of.where());
        told_ = &board;
    }
    void go_on() {
        if (told_ != nullptr) [[unlikely]] { take_back(); }
    }

private:
    [[gnu::cold, gnu::noinline]] void take_back() {
        told_->stand({});
        told_ = nullptr;
    }

    any_board* told_ = nullptr;  // null: it goes on
};

/// How often a rank that waits looks for a reason.
inline constexpr std::chrono::milliseconds look_interval{20};

/// Asks the ranks that `a` waits for what they have called, where that takes messages. Once its
/// time has run out, asks all where they wait, and gives them a moment to answer, or to report a
/// failure.
[[gnu::cold]] inline void ask(any_board& board, any_transport& t, activity const& a) {
    t.receive_control();  // first the reason why a peer left, then that it left
    if (board.stopped()) { return; }
    if (a.only_peer < 0) {
        board.ask(a.call.sequence);
    } else {
        board.watch(a.only_peer);
    }
    auto const begin = steady::now();
    while (begin >= a.deadline && !board.stopped()) {
        auto const state = board.inquire();
        auto const most = state == inquiry::yielded ? 5 * look_interval : 2 * look_interval;
        if (state == inquiry::answered || steady::now() - begin >= most) { return; }
        t.doze([&board] { return board.stopped(); }, std::chrono::milliseconds(1));
    }
}

}  // namespace collectives::detail
