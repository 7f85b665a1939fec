// SPDX-License-Identifier: BSD-3-Clause
// The flat form of one_shot for small vectors: a contribution and its number travel in one cache
// line, and everybody reads everybody's. Two lines per rank alternate, so that nobody waits for
// readers: whoever writes number k has finished k - 1, hence all ranks had finished k - 2.
#pragma once

#include <collectives/core/fingerprint.hpp>
#include <collectives/executor/group.hpp>
#include <collectives/space/host.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace collectives {

/// A board that has lines for contributions of up to `flat_bytes` bytes.
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

/// One small all-reduce or barrier. Rounds: 1; sent: one line; the bits are those of one_shot.
template <flat_board Board>
class flat_run {
public:
    void start(Board& board, rank_group const& group, std::uint64_t number, std::uint64_t hash,
               void const* in, void* out, std::size_t bytes, reducer const* op) {
        board_ = &board;
        group_ = &group;
        number_ = number;
        hash_ = hash;
        out_ = out;
        bytes_ = bytes;
        op_ = op;
        seen_ = 0;
        wrong_ = false;
        auto& mine = board.flat(group.rank(), number);
        mine.hash = hash;
        if (bytes != 0) { std::memcpy(mine.payload.data(), in, bytes); }
        mine.stamp.store(number, std::memory_order_seq_cst);
        board.ring_others();
    }
    bool progress() {
        for (; seen_ < group_->size(); ++seen_) {
            auto const& line = board_->flat(seen_, number_);
            if (line.stamp.load(std::memory_order_acquire) != number_) { return false; }
            wrong_ = wrong_ || line.hash != hash_;
            if (wrong_) { return false; }
        }
        if (bytes_ != 0) { reduce(); }
        return true;
    }
    bool wrong() const { return wrong_; }

private:
    void reduce() {
        constexpr int few = 16;
        std::array<void const*, few> small;
        std::vector<void const*> large;
        auto const n = group_->size();
        auto* sources = small.data();
        if (n > few) {
            large.resize(static_cast<std::size_t>(n));
            sources = large.data();
        }
        for (rank_t r = 0; r < n; ++r) { sources[r] = board_->flat(r, number_).payload.data(); }
        op_->raw(out_, sources, n, bytes_ / op_->elem_size, n);
    }

    Board* board_ = nullptr;
    rank_group const* group_ = nullptr;
    std::uint64_t number_ = 0;
    std::uint64_t hash_ = 0;
    void* out_ = nullptr;
    std::size_t bytes_ = 0;
    reducer const* op_ = nullptr;
    rank_t seen_ = 0;
    bool wrong_ = false;
};

}  // namespace collectives
