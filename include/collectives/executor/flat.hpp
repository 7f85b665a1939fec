// SPDX-License-Identifier: BSD-3-Clause
// The flat executor, for small vectors and schedules of one round: each rank writes its input, with
// its number, where all can read it, and everybody reads what concerns him. Two such cells per rank
// alternate, so that nobody waits for readers: whoever writes number k has finished k - 1, hence
// all ranks had finished k - 2.
#pragma once

#include <collectives/executor/buffers.hpp>
#include <collectives/executor/program.hpp>
#include <collectives/transport/concepts.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace collectives {

/// A board that has cells for contributions of up to `flat_bytes` bytes.
template <class Board>
concept flat_board = requires(Board b) {
    b.flat(0, 0).stamp.store(std::uint64_t{});
    b.flat(0, 0).hash;
    b.flat(0, 0).payload.data();
};

template <flat_board Board>
constexpr std::size_t flat_bytes() {
    return sizeof(decltype(std::declval<Board>().flat(0, 0).payload));
}

/// One small collective. All ranks wait for all, also where only the root's data matters.
template <flat_board Board>
class flat_run {
public:
    /// Whether a program runs in this form. Only what is equal on all ranks decides.
    static bool suits(program const& p) {
        auto const& s = p.shape();
        return p.rounds() <= 1 && s.size > 1 && p.slices() == 1 && s.recv_counts.empty() &&
               !p.blocks_vary() && s.count <= flat_bytes<Board>() / s.elem_size;
    }

    /// Writes this rank's cell; the caller wakes the others. All must live until `finish` returns.
    void start(Board& board, rank_t me, std::uint64_t number, std::uint64_t hash, program& of,
               void const* in, void* out, reducer const* op) {
        board_ = &board;
        number_ = number;
        hash_ = hash;
        program_ = &of;
        plan_ = &of.steps(0, passage::image);
        scratch_.resize(plan_->scratch);
        at_ = {static_cast<std::byte const*>(in), static_cast<std::byte*>(out), nullptr};
        op_ = op;
        seen_ = 0;
        wrong_ = false;
        auto& mine = board.flat(me, number);
        mine.hash = hash;
        if (!plan_->sends.empty()) {
            auto const bytes = of.shape().input_bytes();
            if (bytes != 0) { std::memcpy(mine.payload.data(), in, bytes); }
        }
        mine.stamp.store(number, std::memory_order_release);
    }
    /// Whether all ranks have written their cells.
    bool all_came() {
        for (auto const size = program_->shape().size; seen_ < size; ++seen_) {
            auto const& cell = board_->flat(seen_, number_);
            if (cell.stamp.load(std::memory_order_acquire) != number_) { return false; }
            wrong_ = wrong_ || cell.hash != hash_;
            if (wrong_) { return false; }
        }
        return true;
    }
    std::uint64_t number() const { return number_; }
    /// A peer came with another call.
    bool wrong() const { return wrong_; }
    /// Once all came: carries out this rank's part. Throws what the operator throws.
    void finish() {
        at_.scratch = scratch_.data();
        if (!plan_->receives.empty()) {
            auto const& places = program_->remote_image();
            auto const bytes_of = [&](int receive) {
                auto const i = static_cast<std::size_t>(receive);
                return board_->flat(plan_->receives[i].peer, number_).payload.data() +
                       places[i].offset;
            };
            for (std::size_t i = 0; i < plan_->receives.size(); ++i) {
                auto const& t = plan_->receives[i];
                if (t.action != verb::recv_copy) { continue; }
                host::copy(at_.write(t.at), bytes_of(static_cast<int>(i)), t.bytes);
            }
            for (auto const& f : plan_->folds) {
                carry_out(*plan_, f, at_, *op_, 0, f.bytes, {program_->shape().size, true},
                          [&](auto const& s) { return bytes_of(s.transfer) + s.offset; });
            }
        }
        for (auto const& c : plan_->epilogue) { at_.carry_out(c); }
    }

private:
    Board* board_ = nullptr;
    std::uint64_t number_ = 0;
    std::uint64_t hash_ = 0;
    program* program_ = nullptr;
    plan const* plan_ = nullptr;
    run_buffers at_{};
    std::vector<std::byte> scratch_;  // empty for the library's own algorithms
    reducer const* op_ = nullptr;
    rank_t seen_ = 0;
    bool wrong_ = false;
};

/// A transport that has such boards.
template <class T>
concept flat_transport = peer_addressable<T> && flat_board<typename T::board>;

/// flat_run where the transport can do that, else nothing.
template <class Transport>
struct flat_part {};
template <flat_transport Transport>
struct flat_part<Transport> : flat_run<typename Transport::board> {};

}  // namespace collectives
