// SPDX-License-Identifier: BSD-3-Clause
// From a transport's board to an any_board.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/transport/any_board.hpp>
#include <collectives/transport/capabilities.hpp>
#include <collectives/transport/shared/attendance.hpp>
#include <collectives/transport/shared/board.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

namespace collectives::inline v0 {

/// A transport's board as an any_board.
template <class Board>
class board_model final : public any_board {
    static constexpr bool shares_memory = std::same_as<Board, shared::board>;

public:
    explicit board_model(Board b) : board_(std::move(b)) {}

    Board& of() { return board_; }

    void enter(fingerprint const& call, std::uint64_t hash, std::uint64_t sequence,
               std::uint64_t past) override {
        board_.enter(call, hash, sequence, past);
    }
    void finish(std::uint64_t sequence) override { board_.finish(sequence); }
    std::uint64_t entered(rank_t r) const override { return board_.entered(r); }
    std::uint64_t finished(rank_t r) const override { return board_.finished(r); }
    [[gnu::cold]] std::optional<fingerprint> call_of(rank_t r,
                                                     std::uint64_t sequence) const override {
        return board_.call_of(r, sequence);
    }
    [[gnu::cold]] void fail(failure const& why) override { board_.fail(why); }
    std::optional<failure> first_failure() const override { return board_.first_failure(); }
    std::atomic<std::uint32_t> const& stop_word() const override { return board_.stop_word(); }

    void publish_wait([[maybe_unused]] wait_point const& at) override {
        if constexpr (reports_waits<Board>) { board_.publish_wait(at); }
    }
    wait_point wait_of(rank_t r) const override {
        if constexpr (reports_waits<Board>) { return board_.wait_of(r); }
        return any_board::wait_of(r);
    }

    bool asks() const override { return asking_board<Board>; }
    void ask([[maybe_unused]] std::uint64_t sequence) override {
        if constexpr (asking_board<Board>) { board_.ask(sequence); }
    }
    void watch([[maybe_unused]] rank_t r) override {
        if constexpr (asking_board<Board>) { board_.watch(r); }
    }
    inquiry_state inquire() override {
        if constexpr (asking_board<Board>) { return board_.inquire(); }
        return any_board::inquire();
    }
    bool has_left(rank_t r) const override {
        if constexpr (asking_board<Board>) { return board_.has_left(r); }
        return any_board::has_left(r);
    }
    bool agree_on_survivors(function_ref<bool(rank_t)> lost,
                            lean_vector<rank_t>& survivors) override {
        if constexpr (agreeing_board<Board>) {
            auto const agreed = board_.agree_on_survivors(lost);
            if (agreed) { survivors = *agreed; }
            return agreed.has_value();
        } else if constexpr (shares_memory) {
            return shared::agree_on_survivors(board_, lost, survivors);
        }
        return any_board::agree_on_survivors(lost, survivors);
    }
    lean_vector<rank_t> silent_ranks() const override {
        if constexpr (agreeing_board<Board>) { return board_.silent_ranks(); }
        return any_board::silent_ranks();
    }
    shared::board* in_memory() override {
        if constexpr (shares_memory) { return &board_; }
        return any_board::in_memory();
    }
    void wake_others() const override {
        if constexpr (shares_memory) { board_.wake_others(); }
    }

private:
    Board board_;
};

namespace detail {

template <class Board>
Board& board_of(any_board& b) {
    return static_cast<board_model<Board>&>(b).of();
}

}  // namespace detail

}  // namespace collectives
