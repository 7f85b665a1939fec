// SPDX-License-Identifier: BSD-3-Clause
// Numbers the operations of a communicator, and publishes them on its board.
#pragma once

#include <collectives/core/fingerprint.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/run/activity.hpp>
#include <collectives/transport/any_board.hpp>
#include <collectives/transport/shared/board.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace collectives::inline v0::detail {

/// Operations are numbered from 1 in the order of the calls, messages of the program by themselves.
class call_book {
public:
    void start(any_board& board) {
        board_ = &board;
        in_memory_ = board.in_memory();
        unfinished_.reserve(most_expected);
    }

    /// Enters the next operation, a call with this hash: numbers it and publishes it on the board.
    /// Its `history_hash`, a hash of this call and all before it, goes with everything that is sent
    /// for the operation. So a mistake that no rank waited for, such as two ranks that each
    /// broadcast as root, shows in a later call.
    entry enter(fingerprint const& call, std::uint64_t hash) {
        unfinished_.push_back(sequence_ + 1);  // first: it may throw
        auto const mine = number(hash);
        leave_word(call, hash, mine);
        return mine;
    }
    /// The two halves of `enter`, for a call that is waited for while nothing else is under way on
    /// this rank. Between the two, peers cannot find out what this rank has called.
    entry number(std::uint64_t hash) {
        auto const past = std::exchange(past_, detail::hash_mix(past_, hash));
        return {++sequence_, past, past_};
    }
    std::uint64_t number_message() { return ++messages_; }
    /// The number that the next call gets.
    std::uint64_t next_number(collective what) const {
        auto const is_message = what == collective::send || what == collective::recv;
        return (is_message ? messages_ : sequence_) + 1;
    }
    void leave_word(fingerprint const& call, std::uint64_t hash, entry const& mine) {
        if (in_memory_ != nullptr) {  // a known type, so this needs no virtual call
            in_memory_->enter(call, hash, mine.sequence, mine.past);
        } else {
            board_->enter(call, hash, mine.sequence, mine.past);
        }
    }
    void finish(std::uint64_t sequence) {
        if (!unfinished_.empty()) { unfinished_.erase_value(sequence); }
        auto const all_until = unfinished_.empty() ? sequence_ : unfinished_.front() - 1;
        if (in_memory_ != nullptr) {
            in_memory_->finish(all_until);
        } else {
            board_->finish(all_until);
        }
    }

private:
    static constexpr std::size_t most_expected = 64;  // started calls; more allocate

    any_board* board_ = nullptr;
    shared::board* in_memory_ = nullptr;
    std::uint64_t sequence_ = 0, messages_ = 0;
    std::uint64_t past_ = 0;
    lean_vector<std::uint64_t> unfinished_;
};

}  // namespace collectives::detail
