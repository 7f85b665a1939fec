// SPDX-License-Identifier: BSD-3-Clause
// A communicator's shared board: what each rank has entered, its counters, and the first failure.
#pragma once

#include <collectives/core/failure.hpp>
#include <collectives/core/fingerprint.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/transport/concepts.hpp>
#include <collectives/transport/shared/snapshot.hpp>
#include <collectives/transport/shared/state.hpp>
#include <collectives/transport/shared/wait_slot.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

namespace collectives::inline v0::shared {

/// The first line of a cell in shared memory. It says that a small contribution is there, and holds
/// its first bytes; more lines follow.
struct alignas(line) input_cell {
    static constexpr std::size_t beside = line - 16;  // bytes of the payload in this line

    /// Of the whole cell.
    std::byte* payload() { return reinterpret_cast<std::byte*>(this) + line - beside; }

    std::atomic<std::uint64_t> stamp;
    std::uint64_t hash;
    std::array<std::byte, beside> first;
};
static_assert(sizeof(input_cell) == line);

/// A rank's cells for `Cells` calls in a row. Each cell has `Lines` lines, an odd number, so that
/// cells share no place in caches.
template <std::size_t Cells, std::size_t Lines>
struct cell_ring {
    static constexpr std::size_t cells = Cells;
    static constexpr std::size_t bytes = (Lines - 1) * line;  // from the second line on

    input_cell& operator[](std::uint64_t number) { return at[number % Cells].head; }

    struct whole {
        input_cell head;
        std::array<std::byte, bytes> more;
    };
    std::array<whole, Cells> at;
};

/// Where a rank's bytes are in the run on this channel, and how far the rank has come.
struct alignas(line) channel_line {
    std::atomic<std::uint64_t> counter;  // see channel_counter in run/run_window.hpp
    std::uint64_t hash;
    std::array<std::uint64_t, 3> bases;    // locations of input, output, scratch
    std::atomic<std::uint64_t> announced;  // see announcement in plan/plan.hpp
    memory_range ring;                     // its staging ring
};
static_assert(sizeof(channel_line) == line);

/// Memory that is freed with the board, where every address can be reached.
struct leftover {
    std::byte* memory = nullptr;
    std::size_t bytes = 0;
};

/// Whether a rank goes on after a failure.
enum class attendance : std::uint32_t { undecided, present, left_out };

/// What one rank tells the others of the communicator. Written by that rank alone, but for
/// `attends`.
struct alignas(line) board_row {
    static constexpr int remembered = 128;
    static constexpr std::uint32_t most_records = 2;    // its own, and that of an aborting thread
    static constexpr std::size_t most_left_behind = 2;  // that of runs, and what is beside cells
    using words = std::array<std::atomic<std::uint64_t>, sizeof(fingerprint) / 8>;

    std::atomic<std::uint64_t> entered;
    std::atomic<std::uint64_t> finished;
    wait_slot waits;             // where it waits
    cell_ring<64, 5> few_cells;  // many, so that a root can run ahead while the others have no core
    cell_ring<16, 33> more_cells;
    std::array<channel_line, channels_per_rank> channels;
    std::array<leftover, most_left_behind> left_behind;
    std::array<words, remembered> history;
    std::atomic<std::uint32_t> records_begun;  // that it has begun to write
    std::array<failure, most_records> records;
    std::atomic<attendance> attends;
};

// A rank that runs ahead must not overwrite calls that others need to diagnose a mismatch.
static_assert(decltype(board_row::few_cells)::cells + 2 <= board_row::remembered);

struct alignas(line) board_header {
    std::atomic<std::uint32_t> stopped;  // which record was the first; not 0: all waits end
    std::atomic<std::uint32_t> users;
    std::atomic<std::uint32_t> holders;
    std::atomic<std::uint64_t> successor;
};

/// The view one rank has of its communicator's board. Costs n x 76 KiB of shared memory.
class board {
public:
    board() = default;
    /// `group` holds, for each rank of the communicator, its rank in the job.
    board(state const& job, std::byte* memory, lean_vector<rank_t>&& group, rank_t me)
        : job_(job),
          header_(reinterpret_cast<board_header*>(memory)),
          rows_(reinterpret_cast<board_row*>(memory + sizeof(board_header))),
          group_(std::move(group)),
          me_(me) {}

    static std::size_t bytes(int size) {
        return sizeof(board_header) + static_cast<std::size_t>(size) * sizeof(board_row);
    }
    /// Starts the lifetimes in zeroed memory; `users` ranks will close it.
    [[gnu::cold]] static void create(std::byte* memory, int users) {
        auto* const header = ::new (memory) board_header{};
        header->users.store(static_cast<std::uint32_t>(users), std::memory_order_relaxed);
        for (std::size_t i = 0; i < static_cast<std::size_t>(users); ++i) {
            // Payloads stay untouched, so that pages which are never used are never there.
            ::new (memory + sizeof(board_header) + i * sizeof(board_row)) board_row;
        }
    }

    /// Publishes a call: its number, the hash of all calls before it, and the rest of `call`, whose
    /// hash is `hash`, unless the call 128 calls ago was the same. O(1), no wait.
    void enter(fingerprint const& call, std::uint64_t hash, std::uint64_t sequence,
               std::uint64_t past) {
        auto& mine = row(me_);
        auto const index = sequence % board_row::remembered;
        auto& slot = mine.history[index];
        constexpr auto release = std::memory_order_release;  // not before the last `entered`
        slot[0].store(sequence, release);
        slot[1].store(past, release);
        if (remembered_[index] != hash) {
            remembered_[index] = hash;
            auto const* const from = reinterpret_cast<std::byte const*>(&call);
            for (std::size_t i = 2; i < slot.size(); ++i) {
                std::uint64_t word = 0;
                std::memcpy(&word, from + i * sizeof word, sizeof word);
                slot[i].store(word, release);
            }
        }
        mine.entered.store(sequence, release);
    }
    /// All operations up to `sequence` need nothing more from this rank.
    void finish(std::uint64_t sequence) {
        row(me_).finished.store(sequence, std::memory_order_release);
    }

    std::uint64_t entered(rank_t r) const { return row(r).entered.load(std::memory_order_acquire); }
    std::uint64_t finished(rank_t r) const {
        return row(r).finished.load(std::memory_order_acquire);
    }
    void publish_wait(wait_point const& at) { row(me_).waits.store(at); }
    wait_point wait_of(rank_t r) const { return row(r).waits.load().checked(size()); }
    /// What rank r called as operation `sequence`; empty if not yet, or too long ago.
    [[gnu::cold]] std::optional<fingerprint> call_of(rank_t r, std::uint64_t sequence) const {
        if (entered(r) < sequence) { return {}; }
        auto const& slot = row(r).history[sequence % board_row::remembered];
        std::array<std::uint64_t, sizeof(fingerprint) / 8> words;
        for (std::size_t i = 0; i < words.size(); ++i) {
            words[i] = slot[i].load(std::memory_order_acquire);  // not after `entered` below
        }
        // The rank may be writing the call after the last it has entered.
        if (entered(r) + 1 >= sequence + board_row::remembered) { return {}; }
        auto const call = std::bit_cast<fingerprint>(words);
        return call.sequence == sequence ? std::optional(call) : std::nullopt;
    }

    /// Tells everybody of a failure and wakes them. The first one stays. Safe from any thread. It
    /// is written down before it counts: a rank may die in between.
    [[gnu::cold]] void fail(failure const& why) {
        auto& mine = row(me_);
        auto k = mine.records_begun.fetch_add(1, std::memory_order_relaxed);
        if (k >= board_row::most_records && !stopped()) { k = 0; }  // a peer damaged the number
        if (k < board_row::most_records) {
            mine.records[k] = why;
            auto none = std::uint32_t{0};
            auto const mark = static_cast<std::uint32_t>(me_) * board_row::most_records + k + 1;
            header_->stopped.compare_exchange_strong(none, mark, std::memory_order_seq_cst);
        }
        for (auto const r : group_) { job_.ring(r); }
    }
    std::atomic<std::uint32_t> const& stop_word() const { return header_->stopped; }
    /// Sequentially consistent: who says that it is inside a peer's memory looks here afterwards.
    bool stopped() const { return header_->stopped.load(std::memory_order_seq_cst) != 0; }
    [[gnu::cold]] std::optional<failure> first_failure() const {
        auto const mark = header_->stopped.load(std::memory_order_acquire);
        if (mark == 0) { return {}; }
        auto const r = static_cast<rank_t>((mark - 1) / board_row::most_records);
        if (r >= size()) { return failure::unknown(); }
        return snapshot(row(r).records[(mark - 1) % board_row::most_records]).checked(size());
    }

    /// Ends this rank's use of the board. True for the last rank.
    bool close() { return header_->users.fetch_sub(1, std::memory_order_acq_rel) == 1; }
    bool closed_by_all() const { return header_->users.load(std::memory_order_acquire) == 0; }
    /// This rank, which has not closed the board yet, looks at `closed_by_all` until `let_go`.
    void hold() { header_->holders.fetch_add(1, std::memory_order_relaxed); }
    void let_go() { header_->holders.fetch_sub(1, std::memory_order_release); }
    /// Nobody looks at the board any more.
    bool is_unused() const {
        return closed_by_all() && header_->holders.load(std::memory_order_acquire) == 0;
    }

    /// After a failure: see agree_on_survivors.
    std::atomic<attendance>& attendance_of(rank_t r) const { return row(r).attends; }
    /// Where the survivors go on; 0 until one of them has said so.
    std::atomic<std::uint64_t>& successor() const { return header_->successor; }
    state const& job() const { return job_; }
    rank_t rank() const { return me_; }

    std::byte* memory() const { return reinterpret_cast<std::byte*>(header_); }
    int size() const { return static_cast<int>(group_.size()); }

    /// Hands over memory that peers may read until all have closed the board, before this rank
    /// does. Up to `board_row::most_left_behind` times.
    void leave_behind(leftover what) {
        auto& all = row(me_).left_behind;
        auto* free = all.begin();
        while (free != all.end() && free->memory != nullptr) { ++free; }
        assert(free != all.end());
        *free = what;
    }
    /// What all ranks left behind goes to take(memory, bytes).
    template <class Take>
    void take_left_behind(Take&& take) {
        for (rank_t r = 0; r < size(); ++r) {
            for (auto const& one : row(r).left_behind) {
                if (one.memory != nullptr) { take(one.memory, one.bytes); }
            }
        }
    }

    /// The longest inputs that fit into cells, of which there are many or few.
    static constexpr std::size_t few_bytes = decltype(board_row::few_cells)::bytes;
    static constexpr std::size_t cell_bytes = decltype(board_row::more_cells)::bytes;
    /// The ranks' cells for one call.
    class cell_row {
    public:
        explicit cell_row(input_cell* first = nullptr) : first_(first) {}
        input_cell& operator[](rank_t r) const {
            auto* const memory = reinterpret_cast<std::byte*>(first_);
            return *reinterpret_cast<input_cell*>(memory +
                                                  static_cast<std::size_t>(r) * sizeof(board_row));
        }

    private:
        input_cell* first_;
    };
    /// Those for the call of that number, over vectors of `bytes` bytes.
    cell_row cells(std::uint64_t number, std::size_t bytes) const {
        auto& first = row(0);
        return cell_row(bytes <= few_bytes ? &first.few_cells[number] : &first.more_cells[number]);
    }
    /// How many such calls in a row have cells of their own.
    static constexpr std::size_t cell_depth(std::size_t bytes) {
        return bytes <= few_bytes ? decltype(board_row::few_cells)::cells
                                  : decltype(board_row::more_cells)::cells;
    }
    /// Whether rank r has written its cell for the call of that number.
    bool has_written(rank_t r, std::uint64_t number) const {
        auto const holds = [&](input_cell const& c) {
            return c.stamp.load(std::memory_order_acquire) >= number;
        };
        return holds(row(r).few_cells[number]) || holds(row(r).more_cells[number]);
    }
    channel_line& channel(rank_t r, std::uint64_t run) const {
        return row(r).channels[run % channels_per_rank];
    }

    /// Wakes the ranks of the communicator that sleep, and may wait for what was stored before.
    void wake_others() const {
        // A rank that is about to sleep says so, then looks once more; here it is the other way
        // round. With the fences one of the two sees the other.
        std::atomic_thread_fence(std::memory_order_seq_cst);
        for (std::size_t i = 0; i < group_.size(); ++i) {
            if (static_cast<rank_t>(i) != me_) { job_.ring(group_[i]); }
        }
    }

private:
    board_row& row(rank_t r) const { return rows_[r]; }

    state job_;
    board_header* header_ = nullptr;
    board_row* rows_ = nullptr;
    lean_vector<rank_t> group_;
    rank_t me_ = 0;
    std::array<std::uint64_t, board_row::remembered> remembered_{};  // of the history: call hashes
};

}  // namespace collectives::shared
