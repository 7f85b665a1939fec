// SPDX-License-Identifier: BSD-3-Clause
// A communicator's board, without its type: what each rank has called, and the first failure.
#pragma once

#include <collectives/core/failure.hpp>
#include <collectives/core/fingerprint.hpp>
#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/types.hpp>
#include <collectives/core/wait_point.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace collectives::inline v0 {

namespace shared {
class board;
}

/// Runs in memory that a board describes at one time. Half as many may be under
/// way on one rank.
inline constexpr std::size_t channels_per_rank = 8;

/// Memory of a rank: its location and bytes.
struct memory_range {
    std::uint64_t where = 0;  ///< 0: none
    std::uint64_t bytes = 0;  ///< how many there are
};

/// What one rank sees of its communicator's board. One thread at a time uses it, except for `fail`.
class any_board {
public:
    any_board() = default;
    any_board(any_board const&) = delete;
    any_board& operator=(any_board const&) = delete;
    virtual ~any_board() = default;

    /// Publishes a call: its hash, its number, and the hash of all calls before it.
    virtual void enter(fingerprint const& call, std::uint64_t hash, std::uint64_t sequence,
                       std::uint64_t past) = 0;
    /// All operations up to `sequence` need nothing more from this rank.
    virtual void finish(std::uint64_t sequence) = 0;
    /// The last call that rank r has published, and the last that needs nothing more from it.
    virtual std::uint64_t entered(rank_t r) const = 0;
    virtual std::uint64_t finished(rank_t r) const = 0;
    /// What rank r called as operation `sequence`; empty if that is unknown or too long ago.
    virtual std::optional<fingerprint> call_of(rank_t r, std::uint64_t sequence) const = 0;

    /// Reports a failure to all ranks; the first one stays. Where ranks use control messages it is
    /// only noted: any_transport::tell_failures sends it. Safe from any thread.
    virtual void fail(failure const& why) = 0;
    /// The failure that stays, once there is one.
    virtual std::optional<failure> first_failure() const = 0;
    /// Not zero once something has failed. All waits then end.
    virtual std::atomic<std::uint32_t> const& stop_word() const = 0;
    /// Sequentially consistent: a rank marks its access to a peer's memory first and reads this
    /// afterwards.
    bool stopped() const { return stop_word().load(std::memory_order_seq_cst) != 0; }

    // ---- boards that say where ranks wait

    /// Publishes where this rank waits.
    virtual void publish_wait(wait_point const&) {}
    /// Where rank r waits, as far as this rank knows.
    virtual wait_point wait_of(rank_t) const { return {}; }

    // ---- boards that use control messages

    /// Whether ranks must ask each other what they have called; else `ask` and `watch` do nothing.
    virtual bool asks() const { return false; }
    /// Tells all peers, once per call, that this rank waits in call `sequence`.
    virtual void ask(std::uint64_t) {}
    /// Tells a peer, once, that this rank waits for a message from it.
    virtual void watch(rank_t) {}
    /// Asks all ranks, once, where they wait; says how far that has come.
    virtual inquiry_state inquire() { return inquiry_state::answered; }
    /// Whether a rank is known to have left the job.
    virtual bool has_left(rank_t) const { return false; }
    /// One turn of agreeing, after a failure, on the ranks that go on. `lost(r)` says that rank r
    /// is not waited for. Whether they are known: the same ranks on each of them, ascending.
    /// Fewer than may go on: this rank can no longer reach enough of them.
    virtual bool agree_on_survivors(function_ref<bool(rank_t)>, lean_vector<rank_t>&) {
        return true;
    }
    /// Ranks that could go on and leave this one without an answer, ascending.
    virtual lean_vector<rank_t> silent_ranks() const { return {}; }

    // ---- boards in shared memory

    /// The board with its counters and cells; null where ranks share no memory.
    virtual shared::board* in_memory() { return nullptr; }
    /// Wakes the ranks that sleep and may wait for what was stored before.
    virtual void wake_others() const {}
};

}  // namespace collectives
