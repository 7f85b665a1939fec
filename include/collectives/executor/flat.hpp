// SPDX-License-Identifier: BSD-3-Clause
// The flat executor, for small vectors and schedules of one round: each rank writes its input, with
// its number, where all can read it, and reads those of the ranks it needs.
#pragma once

#include <collectives/core/deferred.hpp>
#include <collectives/executor/buffers.hpp>
#include <collectives/executor/program.hpp>
#include <collectives/executor/space.hpp>
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

/// Numbers the flat calls of a communicator. Each rank has 16 cells, for 16 numbers in a row. Who
/// has written number k has finished all before; so a rank may write number k once all have written
/// k - 15. Only the roots of collectives that do not wait for all ever have to look.
template <flat_board Board>
class flat_book {
public:
    std::uint64_t next() const { return done_ + 1; }
    bool may_write(Board const& board) {
        auto const needed =
            static_cast<std::int64_t>(next()) - static_cast<std::int64_t>(flat_cells_per_rank) + 1;
        if (needed <= static_cast<std::int64_t>(all_wrote_)) { return true; }
        auto const number = static_cast<std::uint64_t>(needed);
        for (rank_t r = 0; r < board.size(); ++r) {
            auto const& stamp = board.flat(r, number).stamp;
            if (stamp.load(std::memory_order_acquire) < number) { return false; }
        }
        all_wrote_ = number;
        return true;
    }
    /// The next call has ended; `all_came`: it had waited for all ranks.
    void finish(bool all_came) {
        ++done_;
        if (all_came) { all_wrote_ = done_; }
    }

private:
    std::uint64_t done_ = 0;
    std::uint64_t all_wrote_ = 0;  // numbers up to this one have been written by all
};

/// One small collective.
template <flat_board Board>
class flat_run {
public:
    /// Whether a program runs in this form. Only what is equal on all ranks decides.
    static bool suits(program const& p) {
        auto const& s = p.shape();
        return p.rounds() <= 1 && s.size > 1 && p.slices() == 1 && s.recv_counts.empty() &&
               !p.blocks_vary() && s.count <= flat_bytes<Board>() &&
               s.count * s.elem_size <= flat_bytes<Board>();
    }

    /// Writes this rank's cell, which it must be allowed to; the caller wakes the others. All must
    /// live until `finish` returns.
    void start(Board& board, rank_t me, std::uint64_t number, std::uint64_t hash, program& of,
               void const* in, void* out, reducer const* op) {
        start(board, me, number, hash, of, of.steps(0, passage::image), of.remote_image(), in, out,
              op);
    }
    /// The same with the program's plan and its peers' places at hand.
    void start(Board& board, rank_t me, std::uint64_t number, std::uint64_t hash, program& of,
               plan const& steps, std::vector<place> const& places, void const* in, void* out,
               reducer const* op) {
        board_ = &board;
        number_ = number;
        hash_ = hash;
        program_ = &of;
        plan_ = &steps;
        places_ = &places;
        at_ = {static_cast<std::byte const*>(in), static_cast<std::byte*>(out), nullptr};
        scratch_.resize(plan_->scratch);
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
    /// Whether those have written their cells that this rank reads.
    bool is_ready() {
        for (; seen_ < plan_->receives.size(); ++seen_) {
            auto const& cell = board_->flat(plan_->receives[seen_].peer, number_);
            if (cell.stamp.load(std::memory_order_acquire) != number_) { return false; }
            wrong_ = wrong_ || cell.hash != hash_;
            if (wrong_) { return false; }
        }
        return true;
    }
    /// Without a root, no rank ends before all have come.
    bool waits_for_all() const { return !is_rooted(program_->shape().what); }
    /// A peer came with another call, this one.
    bool wrong() const { return wrong_; }
    rank_t wrong_peer() const { return plan_->receives[seen_].peer; }
    /// Once it is ready: carries out this rank's part. Throws what the operator throws.
    void finish() {
        at_.scratch = scratch_.data();
        if (!plan_->receives.empty()) {
            auto const bytes_of = [&](int receive) {
                auto const i = static_cast<std::size_t>(receive);
                return board_->flat(plan_->receives[i].peer, number_).payload.data() +
                       (*places_)[i].offset;
            };
            for (std::size_t i = 0; i < plan_->receives.size(); ++i) {
                auto const& t = plan_->receives[i];
                if (t.action != verb::recv_copy) { continue; }
                host::copy(at_.write(t.at), bytes_of(static_cast<int>(i)), t.bytes);
            }
            for (auto const& f : plan_->folds) {
                carry_out(*plan_, f, at_, *op_, at_.write(f.to), 0, f.bytes,
                          {program_->shape().size, true},
                          [&](auto const& s) { return bytes_of(s.transfer) + s.offset; });
            }
        }
        for (auto const& c : plan_->epilogue) { at_.carry_out(host::space{}, c); }
    }

private:
    Board* board_ = nullptr;
    std::uint64_t number_ = 0;
    std::uint64_t hash_ = 0;
    program* program_ = nullptr;
    plan const* plan_ = nullptr;
    std::vector<place> const* places_ = nullptr;
    run_buffers at_{};
    deferred<std::vector<std::byte>, Board> scratch_;  // empty for the library's own algorithms
    reducer const* op_ = nullptr;
    std::size_t seen_ = 0;
    bool wrong_ = false;
};

/// A transport that has such boards, for buffers that the processor may read.
template <class T>
concept flat_transport =
    peer_addressable<T> && flat_board<typename T::board> && !device_transport<T>;

/// flat_run where the transport can do that, else nothing.
template <class Transport>
struct flat_part {};
template <flat_transport Transport>
struct flat_part<Transport> : flat_run<typename Transport::board> {};

template <class Transport>
struct flat_book_part {};
template <flat_transport Transport>
struct flat_book_part<Transport> : flat_book<typename Transport::board> {};

}  // namespace collectives
