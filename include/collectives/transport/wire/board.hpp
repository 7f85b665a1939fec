// SPDX-License-Identifier: BSD-3-Clause
// The board of ranks that share no memory: what each has called and what has failed goes by words,
// messages on the library's own account. None is sent before a rank has waited for 20 ms.
#pragma once

#include <collectives/core/failure.hpp>
#include <collectives/core/fingerprint.hpp>
#include <collectives/schedule/step.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace collectives::wire {

/// What one rank tells another of a communicator. Trivially copyable: it travels as it is.
struct word {
    enum class kind : std::uint32_t { called, failed };

    std::uint64_t board = 0;
    kind what = kind::called;
    rank_t from = -1;                    // rank in the communicator
    std::uint64_t entered = 0;           // its last call,
    std::uint64_t finished = 0;          // and the last it needs nothing more of
    std::uint64_t asked = 0;             // the call in question;
    std::array<fingerprint, 4> calls{};  // it and those before it, empty where they are forgotten
    failure why{};                       // of what failed
};

static_assert(std::is_trivially_copyable_v<word>);

/// Sends a word to a rank of the job.
using teller = std::function<void(rank_t job_rank, word const& what)>;

/// What a rank knows of one communicator. One thread uses it, except for `fail`.
class board_state {
public:
    board_state(std::uint64_t id, std::vector<rank_t> group, rank_t me, teller tell)
        : id_(id),
          group_(std::move(group)),
          me_(me),
          tell_(std::move(tell)),
          peers_(group_.size()),
          owner_(std::this_thread::get_id()) {}

    std::uint64_t id() const { return id_; }
    int size() const { return static_cast<int>(group_.size()); }

    void enter(fingerprint const& call, std::uint64_t sequence, std::uint64_t past) {
        auto& slot = history_[sequence % history_.size()];
        slot = call;
        slot.sequence = sequence;
        slot.past = past;
        peer(me_).entered = sequence;
    }
    void finish(std::uint64_t sequence) { peer(me_).finished = sequence; }

    std::uint64_t entered(rank_t r) const { return peer(r).entered; }
    std::uint64_t finished(rank_t r) const { return peer(r).finished; }
    std::optional<fingerprint> call_of(rank_t r, std::uint64_t sequence) const {
        if (sequence == 0) { return {}; }
        if (r == me_) {
            auto const& call = history_[sequence % history_.size()];
            return call.sequence == sequence ? std::optional(call) : std::nullopt;
        }
        for (auto const& call : peer(r).calls) {
            if (call.sequence == sequence) { return call; }
        }
        return {};
    }

    /// Tells all peers, once, that this rank waits in call `sequence`; they answer with theirs.
    void ask(std::uint64_t sequence) {
        if (asked_ >= sequence) { return; }
        asked_ = sequence;
        for (rank_t r = 0; r < size(); ++r) {
            if (r != me_) { say(r, sequence); }
        }
    }
    /// Takes a peer's word in, and answers where it waits for what this rank has called.
    void hear(word const& w) {
        auto& its = peer(w.from);
        its.entered = std::max(its.entered, w.entered);
        its.finished = std::max(its.finished, w.finished);
        if (w.what == word::kind::failed) { return note(w.why); }
        its.calls = w.calls;
        if (its.answered < w.asked && w.asked <= entered(me_)) {
            its.answered = w.asked;
            say(w.from, w.asked);
        }
    }

    /// Keeps the first failure and tells all of it; from another thread than the owner's that is
    /// left to `spread`.
    void fail(failure const& why) {
        note(why);
        if (std::this_thread::get_id() == owner_) { spread(); }
    }
    /// Tells the peers of a failure of which they have not been told yet.
    void spread() {
        if (told_ || stopped_.load(std::memory_order_acquire) == 0) { return; }
        told_ = true;
        word w;
        w.board = id_;
        w.what = word::kind::failed;
        w.from = me_;
        w.entered = entered(me_);
        w.finished = finished(me_);
        w.why = *first_failure();
        for (rank_t r = 0; r < size(); ++r) {
            if (r != me_) { tell_(group_[static_cast<std::size_t>(r)], w); }
        }
    }
    std::atomic<std::uint32_t> const& stop_word() const { return stopped_; }
    std::optional<failure> first_failure() const {
        std::lock_guard const lock(guard_);
        return first_;
    }

private:
    struct known {
        std::uint64_t entered = 0, finished = 0;
        std::uint64_t answered = 0;          // the last call that it asked for and was told of
        std::array<fingerprint, 4> calls{};  // that it told of last
    };

    known& peer(rank_t r) { return peers_[static_cast<std::size_t>(r)]; }
    known const& peer(rank_t r) const { return peers_[static_cast<std::size_t>(r)]; }

    void note(failure const& why) {
        std::lock_guard const lock(guard_);
        if (!first_) { first_ = why; }
        stopped_.store(1, std::memory_order_release);
    }
    void say(rank_t to, std::uint64_t sequence) {
        word w;
        w.board = id_;
        w.from = me_;
        w.entered = entered(me_);
        w.finished = finished(me_);
        for (std::size_t k = 0; k < w.calls.size() && k < sequence; ++k) {
            w.calls[k] = call_of(me_, sequence - k).value_or(fingerprint{});
        }
        w.asked = sequence;
        tell_(group_[static_cast<std::size_t>(to)], w);
    }

    std::uint64_t id_;
    std::vector<rank_t> group_;
    rank_t me_;
    teller tell_;
    std::vector<known> peers_;
    std::thread::id owner_;
    std::array<fingerprint, 64> history_{};
    std::uint64_t asked_ = 0;
    bool told_ = false;
    std::atomic<std::uint32_t> stopped_{0};
    mutable std::mutex guard_;
    std::optional<failure> first_;
};

/// A communicator's hold on its state.
class board {
public:
    board() = default;
    explicit board(std::shared_ptr<board_state> state) : state_(std::move(state)) {}

    void enter(fingerprint const& call, std::uint64_t, std::uint64_t sequence, std::uint64_t past) {
        state_->enter(call, sequence, past);
    }
    void finish(std::uint64_t sequence) { state_->finish(sequence); }
    std::uint64_t entered(rank_t r) const { return state_->entered(r); }
    std::uint64_t finished(rank_t r) const { return state_->finished(r); }
    std::optional<fingerprint> call_of(rank_t r, std::uint64_t sequence) const {
        return state_->call_of(r, sequence);
    }
    void ask(std::uint64_t sequence) { state_->ask(sequence); }
    void fail(failure const& why) { state_->fail(why); }
    bool stopped() const { return stop_word().load(std::memory_order_acquire) != 0; }
    std::atomic<std::uint32_t> const& stop_word() const { return state_->stop_word(); }
    std::optional<failure> first_failure() const {
        state_->spread();
        return state_->first_failure();
    }
    std::shared_ptr<board_state> const& state() const { return state_; }

private:
    std::shared_ptr<board_state> state_;
};

/// The boards of one rank of a job: hands words to those they are for.
class board_list {
public:
    board add(std::uint64_t id, std::vector<rank_t> group, rank_t me, teller tell) {
        auto state = std::make_shared<board_state>(id, std::move(group), me, std::move(tell));
        open_.push_back(state);
        for (auto const& w : early_) {
            if (w.board == id) { state->hear(w); }
        }
        std::erase_if(early_, [id](word const& w) { return w.board == id; });
        return board(std::move(state));
    }
    void close(board& b) {
        if (!b.state()) { return; }
        b.state()->spread();
        auto const id = b.state()->id();
        std::erase_if(open_, [id](auto const& s) { return s->id() == id; });
        closed_.push_back(id);
    }
    void hear(word const& w) {
        for (auto const& s : open_) {
            if (s->id() == w.board) { return s->hear(w); }
        }
        if (std::find(closed_.begin(), closed_.end(), w.board) == closed_.end()) {
            early_.push_back(w);
        }
    }

private:
    std::vector<std::shared_ptr<board_state>> open_;
    std::vector<std::uint64_t> closed_;
    std::vector<word> early_;  // for boards that this rank has yet to make
};

}  // namespace collectives::wire
