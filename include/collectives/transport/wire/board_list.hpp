// SPDX-License-Identifier: BSD-3-Clause
// The boards of one rank of a job: hands control messages to those they are for.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/transport/wire/board.hpp>
#include <collectives/transport/wire/control_message.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>

namespace collectives::inline v0::wire {

class board_list {
public:
    board add(std::uint64_t id, lean_vector<rank_t> group, rank_t me, control_sender tell) {
        auto state =
            make_shared_object<board_state>(id, std::move(group), me, std::move(tell), failed_);
        open_.push_back(state);
        for (auto const& w : early_) {
            if (w.board == id) { state->receive(w); }
        }
        std::erase_if(early_, [id](control_message const& w) { return w.board == id; });
        return board(std::move(state));
    }
    void close(board& b) {
        if (!b.state()) { return; }
        auto& s = *b.state();
        s.send_failures(silent_);
        auto const last = s.about(control_message::kind::leaves);
        remember(s.id(), {last.from, last.entered, last.finished, s.unanswered()});
        open_.erase_value(b.state());
    }
    /// Reports the failures that any thread has noted since; false if there were none.
    bool send_failures() {
        if (!failed_.load(std::memory_order_relaxed)) { return false; }
        failed_.exchange(false, std::memory_order_acquire);  // first: more may be noted meanwhile
        for (auto const& s : open_) { s->send_failures(silent_); }
        return true;
    }
    /// Whether a rank of the job may be dead: a failure says so, and no message of it came since,
    /// or it is left out.
    bool is_silent(rank_t r) const {
        return is_left_out(r) || std::find(silent_.begin(), silent_.end(), r) != silent_.end();
    }
    void hear_of(rank_t r) { silent_.erase_value(r); }
    /// The survivors of a loss go on without a rank, which counts as silent from now on.
    void leave_out(rank_t r) { left_out_.push_back(r); }
    bool is_left_out(rank_t r) const {
        return std::find(left_out_.begin(), left_out_.end(), r) != left_out_.end();
    }
    void receive(control_message const& w) {
        for (auto const& s : open_) {
            if (s->id() == w.board) { return s->receive(w); }
        }
        if (auto const closed = closed_.find(w.board); closed != closed_.end()) {
            auto const waits =
                w.what == control_message::kind::asks || w.what == control_message::kind::watches;
            if (waits) { closed->second.unanswered.push_back(w.sender); }
            return;
        }
        if (early_.size() == most_early) { early_.pop_front(); }
        early_.push_back(w);
    }
    /// This rank leaves the job: tells those who wait for it on a communicator that it has closed.
    void leave(control_sender const& tell) {
        for (auto& [id, c] : closed_) {
            control_message const w{.board = id,
                                    .what = control_message::kind::leaves,
                                    .from = c.me,
                                    .entered = c.entered,
                                    .finished = c.finished};
            for (auto const r : std::exchange(c.unanswered, {})) { tell(r, w); }
        }
    }

private:
    static constexpr std::size_t most_early = 1024, most_closed = 1024;

    struct closed_board {
        rank_t me = -1;
        std::uint64_t entered = 0, finished = 0;
        lean_vector<rank_t> unanswered;
    };

    /// Remembers only the boards that were closed last. A rank that waits on an older one, and was
    /// not told that it is closed, learns it when this rank is gone.
    void remember(std::uint64_t id, closed_board c) {
        if (order_.size() == most_closed) {
            closed_.erase(order_.front());
            order_.pop_front();
        }
        order_.push_back(id);
        closed_.emplace(id, std::move(c));
    }

    std::atomic<bool> failed_{false};  // on some board, and not sent yet
    lean_vector<shared_pointer<board_state>> open_;
    lean_vector<rank_t> silent_, left_out_;
    std::unordered_map<std::uint64_t, closed_board> closed_;
    std::deque<std::uint64_t> order_;    // in which they were closed
    std::deque<control_message> early_;  // for boards that this rank has yet to make
};

}  // namespace collectives::wire
