// SPDX-License-Identifier: BSD-3-Clause
// Decides which runs in memory may begin, and when memory that peers read may be overwritten.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/plan/plan.hpp>
#include <collectives/run/staging_ring.hpp>
#include <collectives/run/scratch_pool.hpp>
#include <collectives/transport/any_transport.hpp>
#include <collectives/transport/shared/board.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace collectives::inline v0::detail {

/// A rank's counter in a channel: the number of the run in the upper 44 bits, and in the lower 20
/// the point that the rank has published.
constexpr std::uint64_t channel_counter(std::uint64_t run, plans::point at) {
    return run << 20 | at;
}
static_assert(plans::channels == channels_per_rank);

/// The runs in memory of one communicator. They are numbered in the order of the calls, the same on
/// all ranks. Run r uses channel r % 8. Runs begin in order; r begins once this rank has left r - 4
/// and knows that all peers have left r - 8. So a peer seen in run r has left r - 4 and all before.
class run_window {
public:
    using buffer = scratch_pool::buffer;
    static constexpr std::uint64_t window = plans::runs_at_once;

    void start(shared::board const& board, scratch_pool& pool, rank_t me, std::size_t& staged) {
        ring_.count_in(staged);
        board_ = &board;
        pool_ = &pool;
        me_ = me;
    }

    /// Reserves numbers for `n` runs and returns the first.
    std::uint64_t reserve(int n) {
        auto const first = reserved_ + 1;
        reserved_ += static_cast<std::uint64_t>(n);
        return first;
    }
    bool may_begin(std::uint64_t run) const {
        return run == begun_ + 1 && (run <= window || channel(run - window).left >= run - window) &&
               (run <= channels_per_rank || run - window <= all_came_ || all_left(channel(run)));
    }
    void begin(std::uint64_t run) {
        begun_ = run;
        pool_->give_back(std::exchange(channel(run).kept, {}));
    }
    /// Notes that this rank has left a run. `all_came`: the run could not end before all ranks had
    /// come.
    void leave(std::uint64_t run, bool all_came) {
        channel(run).left = run;
        if (all_came) { all_came_ = std::max(all_came_, run); }
    }
    /// A piece of the staging ring, at most `largest_piece` bytes, for the run that has just begun.
    /// Peers may read it after this rank has left the run.
    std::byte* take(std::size_t bytes) { return ring_.take(bytes); }
    /// Where this rank's staging ring is.
    memory_range own_ring() const { return ring_.announced(); }
    /// Call this before this rank reads from peer r, whose ring is `its`.
    void prefault(peer_memory& of, rank_t r, memory_range its) { ring_.prefault(of, r, its); }
    /// The largest piece of the staging ring in bytes; 0 if there is no ring, because there is no
    /// memory for it or the caches do not suit it. The first call takes the memory.
    std::size_t largest_piece(any_transport& t) {
        if (largest_piece_ != unknown) { return largest_piece_; }
        largest_piece_ = 0;
        // As many segments as there are channels, each with up to 64 values that begin at a line.
        constexpr std::size_t line = host::detail::line_bytes, roundings = 64 * line;
        constexpr std::size_t few = 16 * 1024;
        auto best = best_ring_bytes(t) / channels_per_rank / line * line + roundings;
        if (best == roundings) { return 0; }
        if (!ring_.may_be_long()) { best = std::min(best, few + roundings); }
        try {
            ring_.make(t, plans::ring_pieces * best);
            largest_piece_ = best;
        } catch (transport_error const&) {}  // then each run takes its own memory
        return largest_piece_;
    }
    /// Keeps scratch that peers may still read after this rank has left the run.
    void keep(std::uint64_t run, buffer scratch) { channel(run).kept = scratch; }

    /// Returns the memory that peers may still read. Other kept memory goes back to the pool.
    lean_vector<buffer> take_kept() {
        lean_vector<buffer> result;
        if (ring_.exists()) { result.push_back(ring_.release()); }
        for (auto& one : channels_) {
            auto const kept = std::exchange(one.kept, {});
            if (kept.data == nullptr) { continue; }
            if (all_left(one)) {
                pool_->give_back(kept);
            } else {
                result.push_back(kept);
            }
        }
        return result;
    }

private:
    struct channel_state {
        std::uint64_t left = 0;  // the last run on this channel that this rank has left
        buffer kept{};
    };

    channel_state& channel(std::uint64_t run) { return channels_[run % channels_per_rank]; }
    channel_state const& channel(std::uint64_t run) const {
        return channels_[run % channels_per_rank];
    }
    bool all_left(channel_state const& one) const {
        for (rank_t r = 0; r < board_->size(); ++r) {
            auto const& counter = board_->channel(r, one.left).counter;
            auto const end = one.left == 0 ? 0 : channel_counter(one.left, plans::left);
            if (r != me_ && counter.load(std::memory_order_acquire) < end) { return false; }
        }
        return true;
    }

    shared::board const* board_ = nullptr;
    scratch_pool* pool_ = nullptr;
    rank_t me_ = 0;
    std::uint64_t reserved_ = 0, begun_ = 0;
    std::uint64_t all_came_ = 0;  // all ranks have come to the runs up to this one
    std::array<channel_state, channels_per_rank> channels_;
    staging_ring ring_;
    static constexpr auto unknown = static_cast<std::size_t>(-1);
    std::size_t largest_piece_ = unknown;
};

}  // namespace collectives::detail
