// SPDX-License-Identifier: BSD-3-Clause
// The board of ranks that share no memory. Calls and failures are reported by control messages. No
// control message is sent before a rank has waited for 20 ms, or something has failed.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/failure.hpp>
#include <collectives/core/fingerprint.hpp>
#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/types.hpp>
#include <collectives/core/wait_point.hpp>
#include <collectives/transport/wire/control_message.hpp>
#include <collectives/transport/wire/survival.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace collectives::inline v0::wire {

/// What a rank knows of one communicator. One thread at a time uses it, except for `fail`.
class board_state {
public:
    using kind = control_message::kind;
    /// `failed` is set when a failure is noted: the next exchange of control messages sends it.
    board_state(std::uint64_t id, lean_vector<rank_t> group, rank_t me, control_sender tell,
                std::atomic<bool>& failed)
        : id_(id),
          group_(std::move(group)),
          me_(me),
          tell_(std::move(tell)),
          failed_(&failed),
          peers_(group_.size()) {}

    std::uint64_t id() const { return id_; }
    int size() const { return static_cast<int>(group_.size()); }
    /// Its ranks in the job.
    lean_vector<rank_t> const& group() const { return group_; }
    /// The rank here of a rank of the job, which must be one.
    rank_t rank_of(rank_t job_rank) const { return static_cast<rank_t>(group_.index_of(job_rank)); }

    void enter(fingerprint const& call, std::uint64_t hash, std::uint64_t sequence,
               std::uint64_t past) {
        auto& [mine, its_hash] = history_[sequence % history_.size()];
        if (std::exchange(its_hash, hash) != hash) { mine = call; }  // mostly it is there
        mine.sequence = peer(me_).entered = sequence;
        mine.past = past;
        if (!std::exchange(asked_ahead_, false)) { return; }
        for (rank_t r = 0; r < size(); ++r) { answer(r); }
    }
    void finish(std::uint64_t sequence) {
        peer(me_).finished = sequence;
        if (inquired_.sequence == sequence && !inquired_.is_pair()) { inquired_ = {}; }
    }

    std::uint64_t entered(rank_t r) const { return peer(r).entered; }
    std::uint64_t finished(rank_t r) const { return peer(r).finished; }
    /// Whether a rank is known to have left the job.
    bool has_left(rank_t r) const { return peer(r).has_left; }
    std::optional<fingerprint> call_of(rank_t r, std::uint64_t sequence) const {
        if (sequence == 0) { return {}; }
        auto const& call = r == me_ ? history_[sequence % history_.size()].first
                                    : peer(r).calls[sequence % peer(r).calls.size()];
        return call.sequence == sequence ? std::optional(call) : std::nullopt;
    }

    /// Tells all peers, once per call, that this rank waits in call `sequence`. Each answers with
    /// its own call as soon as it has entered it.
    void ask(std::uint64_t sequence) {
        if (std::exchange(asked_, std::max(asked_, sequence)) >= sequence) { return; }
        for (rank_t r = 0; r < size(); ++r) {
            if (r != me_) { say(kind::asks, r, sequence); }
        }
    }
    /// Tells a peer, once, that this rank waits for a message from it.
    void watch(rank_t r) {
        if (!std::exchange(peer(r).watched, true)) { tell_(job_rank(r), about(kind::watches)); }
    }
    void publish_wait(wait_point const& at) {
        peer(me_).waits = at;
        if (!inquired_.is_in_call_of(at)) { inquired_ = {}; }
    }
    wait_point wait_of(rank_t r) const { return peer(r).waits; }
    /// Asks all peers, once per call, where they wait. Who is inside the library answers at once.
    /// Of ranks that ask at one time the lowest reports the failure, so that all report the same.
    inquiry_state inquire() {
        auto const first = !std::exchange(inquired_, wait_of(me_)).is_in_call_of(wait_of(me_));
        auto all = true, yields = false;
        for (rank_t r = 0; r < size(); ++r) {
            if (r == me_) { continue; }
            auto& its = peer(r);
            if (first) {
                its.has_answered = false;
                tell_(job_rank(r), about(kind::wait_query));
            }
            all = all && its.has_answered;
            yields = yields || (r < me_ && its.queries);
        }
        using enum inquiry_state;
        return yields ? yielded : all ? answered : open;
    }
    /// Takes in a peer's control message, and answers if the peer waits for a call of this rank.
    void receive(control_message const& w) {
        if (w.from < 0 || w.from >= size()) { return; }  // no rank of this board
        auto& its = peer(w.from);
        its.entered = std::max(its.entered, w.entered);
        its.finished = std::max(its.finished, w.finished);
        auto const before = std::exchange(its.waits, w.waits.checked(size()));
        its.queries = its.queries && its.waits.is_in_call_of(before);
        switch (w.what) {
            case kind::failed: its.has_answered = true; return fail(w.why.checked(size()));
            case kind::leaves: its.has_left = true; return;
            case kind::watches: its.watches = true; return;
            case kind::agrees:
            case kind::payload: return after_failure().receive(w);
            case kind::wait_answer: its.has_answered = true; return;
            case kind::wait_query:
                its.queries = true;
                return tell_(job_rank(w.from), about(kind::wait_answer));
            default: break;
        }
        for (auto const& call : w.calls) {
            auto& slot = its.calls[call.sequence % its.calls.size()];
            if (call.sequence > slot.sequence) { slot = call; }
        }
        if (w.what != kind::asks) { return; }
        its.asked = std::max(its.asked, w.asked);
        answer(w.from);
    }

    /// Keeps the first failure, for `send_failures`: the thread that calls this may not send.
    void fail(failure const& why) {
        std::lock_guard const lock(guard_);
        if (!first_) { first_ = why; }
        stopped_.store(1, std::memory_order_release);
        // Not a store: whoever sees this failure must see those that other threads noted before.
        static_cast<void>(failed_->exchange(true, std::memory_order_acq_rel));
    }
    /// Reports a failure to the peers, once. Adds the job ranks that it makes silent to `silent`.
    void send_failures(lean_vector<rank_t>& silent) {
        if (failure_sent_ || stopped_.load(std::memory_order_acquire) == 0) { return; }
        failure_sent_ = true;
        auto w = about(kind::failed);
        w.why = *first_failure();
        for (rank_t r = 0; r < size(); ++r) {
            if (r == me_) { continue; }
            try {
                if (makes_silent(w.why, r)) { silent.push_back(job_rank(r)); }
                tell_(job_rank(r), w);
            } catch (std::exception const&) {}  // the others still must hear
        }
    }
    /// What the ranks tell each other after a failure. Made when it is first needed.
    survival& after_failure() {
        if (!survival_) {
            survival_ = std::make_unique<survival>(size(), me_, [this](rank_t to, auto what) {
                what.board = id_;
                what.from = me_;
                try {
                    tell_(job_rank(to), what);
                } catch (transport_error const&) {}  // it is lost
            });
        }
        return *survival_;
    }
    /// The job ranks that wait for an answer of this rank.
    lean_vector<rank_t> unanswered() const {
        lean_vector<rank_t> result;
        for (rank_t r = 0; r < size(); ++r) {
            auto const& its = peer(r);
            if (its.watches || its.asked > its.answered) { result.push_back(job_rank(r)); }
        }
        return result;
    }
    /// A control message of this rank.
    control_message about(kind what) const {
        return {.board = id_,
                .what = what,
                .from = me_,
                .entered = entered(me_),
                .finished = finished(me_),
                .waits = wait_of(me_)};
    }

    std::atomic<std::uint32_t> const& stop_word() const { return stopped_; }
    std::optional<failure> first_failure() const {
        std::lock_guard const lock(guard_);
        return first_;
    }

private:
    struct known {
        std::uint64_t entered = 0, finished = 0;
        std::uint64_t asked = 0;             // the last call of this rank that it asked for
        std::uint64_t answered = 0;          // the last call that this rank has told it
        std::array<fingerprint, 8> calls{};  // the calls that it has told this rank
        bool watched = false, watches = false, has_left = false, has_answered = false;
        bool queries = false;  // it asks where all ranks wait, and is still in that call
        wait_point waits{};
    };

    known& peer(rank_t r) { return peers_[static_cast<std::size_t>(r)]; }
    known const& peer(rank_t r) const { return peers_[static_cast<std::size_t>(r)]; }
    rank_t job_rank(rank_t r) const { return group_[static_cast<std::size_t>(r)]; }

    /// Whether a failure says that a rank is lost or has not come, or it did not answer when the
    /// time of this rank ran out.
    bool makes_silent(failure const& why, rank_t r) const {
        if (why.kind == failure_kind::peer_lost) { return why.peer == r; }
        if (why.kind != failure_kind::timeout) { return false; }
        auto const end = why.missing.begin() + why.missing_count;
        auto const has_asked = inquired_.sequence != 0;
        return (has_asked && !peer(r).has_answered) ||
               std::find(why.missing.begin(), end, r) != end;
    }
    void answer(rank_t r) {
        auto& its = peer(r);
        if (its.asked <= its.answered) { return; }
        if (its.asked > entered(me_)) {
            asked_ahead_ = true;
            return;
        }
        its.answered = its.asked;
        say(kind::answers, r, its.asked);
    }
    void say(kind what, rank_t to, std::uint64_t sequence) {
        auto w = about(what);
        for (std::size_t k = 0; k < w.calls.size() && k < sequence; ++k) {
            w.calls[k] = call_of(me_, sequence - k).value_or(fingerprint{});
        }
        w.asked = sequence;
        tell_(job_rank(to), w);
    }

    std::uint64_t id_;
    lean_vector<rank_t> group_;
    rank_t me_;
    control_sender tell_;
    std::atomic<bool>* failed_;
    lean_vector<known> peers_;
    std::array<std::pair<fingerprint, std::uint64_t>, 64> history_{};  // calls, and their hashes
    std::uint64_t asked_ = 0;  // the last call that this rank asked for
    wait_point inquired_{};    // of which it asks where all wait; cleared once that ends
    bool failure_sent_ = false;
    bool asked_ahead_ = false;  // for a call that this rank has yet to enter
    std::unique_ptr<survival> survival_;
    std::atomic<std::uint32_t> stopped_{0};
    mutable std::mutex guard_;
    std::optional<failure> first_;
};

/// A communicator's hold on its state.
class board {
public:
    board() = default;
    explicit board(shared_pointer<board_state> state) : state_(std::move(state)) {}

    void enter(fingerprint const& call, std::uint64_t hash, std::uint64_t sequence,
               std::uint64_t past) {
        state_->enter(call, hash, sequence, past);
    }
    void finish(std::uint64_t sequence) { state_->finish(sequence); }
    std::uint64_t entered(rank_t r) const { return state_->entered(r); }
    std::uint64_t finished(rank_t r) const { return state_->finished(r); }
    bool has_left(rank_t r) const { return state_->has_left(r); }
    std::optional<fingerprint> call_of(rank_t r, std::uint64_t sequence) const {
        return state_->call_of(r, sequence);
    }
    void ask(std::uint64_t sequence) { state_->ask(sequence); }
    void watch(rank_t r) { state_->watch(r); }
    void publish_wait(wait_point const& at) { state_->publish_wait(at); }
    wait_point wait_of(rank_t r) const { return state_->wait_of(r); }
    inquiry_state inquire() { return state_->inquire(); }
    void fail(failure const& why) { state_->fail(why); }
    bool stopped() const { return stop_word().load(std::memory_order_acquire) != 0; }
    std::atomic<std::uint32_t> const& stop_word() const { return state_->stop_word(); }
    std::optional<failure> first_failure() const { return state_->first_failure(); }
    std::optional<lean_vector<rank_t>> agree_on_survivors(function_ref<bool(rank_t)> lost) {
        return state_->after_failure().agree(steady::now(), lost);
    }
    lean_vector<rank_t> silent_ranks() const { return state_->after_failure().silent(); }
    shared_pointer<board_state> const& state() const { return state_; }

private:
    shared_pointer<board_state> state_;
};

}  // namespace collectives::wire
