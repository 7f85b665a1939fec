// SPDX-License-Identifier: BSD-3-Clause
// The memory all ranks of a job share: who lives, who sleeps, and the rings that messages use.
#pragma once

#include <collectives/core/files.hpp>
#include <collectives/core/lending_case.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/types.hpp>
#include <collectives/core/without_cancellation.hpp>
#include <collectives/transport/shared/futex.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <cstring>
#include <type_traits>

namespace collectives::inline v0::shared {

inline constexpr std::size_t line = 64, page = 4096;
inline constexpr std::size_t ring_lines = 128, entry_payload = 960;
inline constexpr int large_slots = 8, small_slots = 12, slots_per_rank = large_slots + small_slots;
inline constexpr std::size_t slot_bytes = 64 * 1024, small_slot_bytes = 32 * 1024;

/// The least multiple of `of` that is no less than `bytes`.
constexpr std::size_t rounded_up(std::size_t bytes, std::size_t of = page) {
    return (bytes + of - 1) / of * of;
}

enum class entry_kind : std::uint32_t { eager, slotted, offer, accept, fragment, acknowledge };

/// The numbers of a message whose bytes are not in the entry.
struct entry_reference {
    std::uint64_t location;  // offer: where the bytes are, 0 if private; else their slot
    std::uint64_t sender;    // number of the sender's request, or of the slot's use
    std::uint64_t receiver;  // number of the receiver's request
    std::uint64_t offset;    // fragment: where in the message it starts
};

/// The first line of a message in a ring; the payload of a longer one is in the lines behind it.
struct alignas(line) ring_entry {
    std::uint32_t stamp_word;  // which the sender writes last; 0: empty
    entry_kind kind;
    std::uint64_t tag;
    std::uint64_t check;
    std::uint64_t bytes;
    std::array<std::byte, 32> first;  // eager: a short payload; else entry_reference

    std::atomic_ref<std::uint32_t> stamp() { return std::atomic_ref(stamp_word); }
    /// Where an eager message of so many bytes is.
    std::byte* payload(std::size_t of) {
        return of <= sizeof first ? first.data() : reinterpret_cast<std::byte*>(this + 1);
    }
};
static_assert(sizeof(ring_entry) == line);

/// The messages from one rank to another. Zeroed memory holds an empty ring, so that the pages of a
/// ring which is never used are never there.
struct alignas(2 * line) message_ring {
    std::array<ring_entry, ring_lines> lines;
    alignas(line) std::uint64_t taken_word;  // what the receiver says now and then: lines it took

    std::atomic_ref<std::uint64_t> taken() { return std::atomic_ref(taken_word); }
    ring_entry& at(std::uint64_t position) { return lines[position % ring_lines]; }
};
static_assert(std::is_trivial_v<message_ring>);

enum class life : std::uint32_t { expected, running, left, died };

/// What is known of a rank, and the bell that wakes it.
struct alignas(line) rank_status {
    std::atomic<std::uint32_t> bell;
    std::atomic<std::uint32_t> asleep;  // threads of it that sleep, or are about to
    std::atomic<life> state;
    std::atomic<std::int32_t> signal;
    std::atomic<std::int32_t> pid;
    // 1: it is reading or writing a peer's memory. One word serves all communicators, because a
    // rank makes one pass at a time, under its lock. In a pass it calls only the operator, which
    // must not wait for a call.
    std::atomic<std::uint32_t> inside;
    std::atomic<std::uint32_t> trouble;  // its place among ranks in trouble, from 1 on; 0: none
    std::atomic<std::uint32_t> failed;   // its function ended by an exception
    // What shows a peer that it reads the memory of this rank's process, and where that is.
    std::atomic<std::uint64_t> proof, proof_at;
    std::atomic<std::uint32_t> reads_all;  // 1: it has seen that it reads all private memory
    std::atomic<std::uint32_t> holds_up;   // 1: a peer found no room for what it sends here
    // One bit per lending_case. In a line of its own: peers look at it often, and it rarely
    // changes.
    alignas(
        line) std::array<std::atomic<std::uint64_t>, (lending_case::count + 63) / 64> prefers_lent;
};

/// What a rank says of its failure to whoever started it.
struct report {
    std::array<char, 1024> text;
};

/// What readers say of a rank's slots: the number of the last use of each that has ended.
struct alignas(line) slot_ends {
    std::array<std::atomic<std::uint32_t>, slots_per_rank> ended;
};

/// Where the survivors of the communicator with this context go on, whose board is elsewhere.
struct successor_slot {
    std::atomic<std::uint64_t> context, place;
};

struct alignas(line) job_header {
    std::atomic<std::int32_t> processors;  // that the ranks share
    std::atomic<std::uint32_t> troubles;   // ranks that got into trouble so far
    std::atomic<std::uint32_t> failures;   // ranks that failed so far
    std::atomic<std::uint32_t> going_on;   // 1: ranks go on without those that failed
    std::atomic<std::uint64_t> file_end;   // bytes of the file that are in use
    std::array<successor_slot, 30> successors;
};

/// A view of the shared memory of a job of `size` ranks; `bytes(size)` of it, zero at first.
/// Per rank: 8 slots of 64 KiB and 12 of 32 KiB; per ordered pair of ranks: a ring of 128 lines.
class state {
public:
    state() = default;
    state(std::byte* base, int size)
        : base_(base),
          size_(size),
          rings_(reinterpret_cast<message_ring*>(base + layout(size).rings)) {}

    static std::size_t bytes(int size) { return layout(size).end; }

    /// Starts the lifetime of those objects in zeroed memory that are not trivial.
    [[gnu::cold]] static state create(std::byte* base, int size) {
        auto const at = layout(size);
        auto const n = static_cast<std::size_t>(size);
        ::new (base) job_header{};
        start<rank_status>(base + at.status, n);
        start<report>(base + at.reports, n);
        start<slot_ends>(base + at.slot_ends, n);
        return {base, size};
    }

    int size() const { return size_; }
    job_header& header() const { return at<job_header>(0, 0); }
    /// The place of the successor of a communicator with this context; null if there are too many.
    std::atomic<std::uint64_t>* successor_of(std::uint64_t context) const {
        for (auto& slot : header().successors) {
            std::uint64_t free = 0;
            if (slot.context.compare_exchange_strong(free, context) || free == context) {
                return &slot.place;
            }
        }
        return nullptr;
    }
    rank_status& status(rank_t r) const { return at<rank_status>(layout(size_).status, r); }
    report& report_of(rank_t r) const { return at<report>(layout(size_).reports, r); }
    message_ring& ring_between(rank_t from, rank_t to) const { return rings_[from * size_ + to]; }
    std::atomic<std::uint32_t>& slot_ended(rank_t r, int slot) const {
        return at<slot_ends>(layout(size_).slot_ends, r).ended[static_cast<std::size_t>(slot)];
    }
    /// The large slots are the first ones.
    std::byte* slot(rank_t r, int slot) const {
        auto const large = static_cast<std::size_t>(std::min(slot, large_slots));
        auto const small = static_cast<std::size_t>(slot) - large;
        return base_ + layout(size_).slots + static_cast<std::size_t>(r) * slots_bytes +
               large * slot_bytes + small * small_slot_bytes;
    }

    /// Wakes rank r if it sleeps. Call after a sequentially consistent store that it waits for, or
    /// after any store and a fence.
    void ring(rank_t r) const {
        auto& s = status(r);
        if (s.asleep.load(std::memory_order_seq_cst) != 0) {
            s.bell.fetch_add(1, std::memory_order_seq_cst);
            futex_wake(s.bell);
        }
    }
    void ring_all() const {
        for (rank_t r = 0; r < size_; ++r) { ring(r); }
    }

    /// Notes when rank r got into trouble, so that causes can be told from consequences.
    void note_trouble(rank_t r) const {
        auto& mine = status(r).trouble;
        if (mine.load() == 0) { mine.store(header().troubles.fetch_add(1) + 1); }
    }
    /// Notes that rank r has failed.
    void note_failure(rank_t r) const {
        note_trouble(r);
        status(r).failed.store(1);
        header().failures.fetch_add(1);
    }
    /// Whether rank a failed, and before rank b did if that failed too.
    [[gnu::cold, gnu::noinline]] bool failed_before(rank_t a, rank_t b) const {
        if (status(a).failed.load() == 0) { return false; }
        return status(b).failed.load() == 0 || status(a).trouble.load() < status(b).trouble.load();
    }

    /// Says that a rank has gone. The first word counts.
    [[gnu::cold]] void depart(rank_t r, life how, int signal) const {
        auto& s = status(r);
        auto known = s.state.load(std::memory_order_acquire);
        if (known > life::running) { return; }
        s.signal.store(signal, std::memory_order_relaxed);
        if (s.state.compare_exchange_strong(known, how, std::memory_order_seq_cst) ||
            (known <= life::running &&  // it came to run at this moment
             s.state.compare_exchange_strong(known, how, std::memory_order_seq_cst))) {
            ring_all();
        }
    }

    /// Whether a rank that is a process has been stopped, as the kernel sees it.
    [[gnu::cold]] bool is_stopped(rank_t r) const {
        detail::without_cancellation const until_end;
        auto const pid = status(r).pid.load(std::memory_order_relaxed);
        if (pid == 0) { return false; }
        // "PID (NAME) LETTER ...", where a name may hold brackets
        auto const text = detail::start_of_file<256>(text_of("/proc/", pid, "/stat").c_str());
        auto const* const name_ends = std::strrchr(text.data(), ')');
        if (name_ends == nullptr || name_ends[1] != ' ') { return false; }
        return name_ends[2] == 'T' || name_ends[2] == 't';
    }

private:
    static constexpr std::size_t slots_bytes =
        large_slots * slot_bytes + small_slots * small_slot_bytes;
    struct offsets {
        std::size_t status, reports, slot_ends, rings, slots, end;
    };
    static constexpr offsets layout(int size) {
        auto const n = static_cast<std::size_t>(size);
        offsets o{};
        o.status = sizeof(job_header);
        o.reports = o.status + n * sizeof(rank_status);
        o.slot_ends = rounded_up(o.reports + n * sizeof(report), line);
        o.rings = rounded_up(o.slot_ends + n * sizeof(slot_ends), 2 * line);
        o.slots = rounded_up(o.rings + n * n * sizeof(message_ring));
        o.end = o.slots + n * slots_bytes;
        return o;
    }
    template <class T>
    static void start(std::byte* where, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) { ::new (where + i * sizeof(T)) T{}; }
    }
    template <class T>
    T& at(std::size_t offset, int index) const {
        auto* const where = base_ + offset + static_cast<std::size_t>(index) * sizeof(T);
        return *std::launder(reinterpret_cast<T*>(where));
    }

    std::byte* base_ = nullptr;
    int size_ = 0;
    message_ring* rings_ = nullptr;
};

}  // namespace collectives::shared
