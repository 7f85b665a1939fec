// SPDX-License-Identifier: BSD-3-Clause
// A whole collective as one kernel, in which ranks wait for each other: what they share for that,
// and what blocks of threads do. Block b of a rank meets block b of every other rank and nobody
// else, so all blocks of all ranks must be running at once: who starts one has to know that.
#pragma once

#include <collectives/core/types.hpp>
#include <collectives/space/cuda/body.hpp>

#include <cstddef>
#include <cstdint>

namespace collectives::cuda {

inline constexpr int most_fused_ranks = 16;
inline constexpr int most_fused_blocks = 128;

/// What a fused kernel does. The vector of the last four is cut as `block` does.
enum class fused_kind : std::uint8_t {
    one_shot,        // all_reduce: each rank reads all inputs
    reduce,          // the root alone does
    two_shot,        // all_reduce: each adds up its block and writes the sums to all
    reduce_scatter,  // each adds up its block
    all_gather,      // each writes its block to all
    broadcast        // the root writes to all
};

/// What a block of one rank tells the same block of another. Written by one peer alone.
struct alignas(64) fused_signal {
    struct word {
        std::uint64_t call, in, out;  // a hash of the call; where the peer's buffers are, or 0
    };
    std::uint64_t epoch;  // grows with every meeting, over all calls, also those of a graph
    word told[2];         // by the last bit of the epoch: the next call may come before all read
};

/// A rank's memory in which peers write.
struct fused_pad {
    fused_signal from[most_fused_blocks][most_fused_ranks];
    std::uint64_t epoch[most_fused_blocks];  // the rank's own
};

/// How a rank's kernels and its host talk, in the host's memory.
struct fused_mailbox {
    enum fault_kind : std::uint64_t { none, timed_out, aborted, mismatched };
    std::uint64_t abort;                   // by the host: end
    std::uint64_t fault;                   // by a kernel: why it ended without a result
    std::uint64_t late[most_fused_ranks];  // peers that it waited for, or that called another thing
};

/// The ranks that meet in kernels, as one of them sees it. In its device's memory.
struct fused_team {
    rank_t rank;
    int size;
    std::size_t slot;  // bytes of each of a rank's three slots: two for inputs, one for outputs
    fused_mailbox* mail;
    fused_pad* pads[most_fused_ranks];
    std::byte* slots[most_fused_ranks];
};

/// A call without types. It goes through the slots where peers do not reach a buffer, which costs a
/// copy, part by part.
struct fused_call {
    fused_team const* with = nullptr;  // on the device
    int with_size = 1;                 // its ranks
    fused_kind kind{};
    rank_t root = 0;
    int blocks = 1;             // of threads; the same on all ranks
    std::size_t count = 0;      // elements of the whole vector
    std::size_t elem_size = 1;  // bytes
    std::byte const* in = nullptr;
    std::byte* out = nullptr;
    bool shows_in = false, shows_out = false;  // whether peers reach them, at these addresses
    std::uint64_t hash = 0;
    std::uint64_t allowed = 0;  // ns
};

namespace detail {

constexpr std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }

/// A stretch of the vector, in elements.
struct stretch {
    std::size_t first = 0, size = 0;
};
/// Part i of `parts`; the first ones are one longer. As `collectives::block`.
constexpr stretch cut(std::size_t count, int parts, int i) {
    auto const n = static_cast<std::size_t>(parts), k = static_cast<std::size_t>(i);
    auto const each = count / n, rest = count % n;
    return {k * each + least(k, rest), each + (k < rest ? 1U : 0U)};
}

/// What all fused bodies have in common. `Block` is a block of threads: `for_workers(f)` calls
/// f(worker) for each thread, `sync()` lets them wait for each other; `room<T>()` is memory for a T
/// that belongs to all of them, as does whether they have failed. One thread's `publish(word)` is
/// seen by all of the system with what came before it, by whoever sees it by `look(word)`; `peek`
/// and `leave` order nothing; `now()` is in ns.
template <class Block>
class fused_session {
public:
    constexpr fused_session(Block& b, fused_call const& c)
        : block_(b), call_(c), team_(*c.with), epoch_(own().epoch[b.number()]) {
        begun_ = block_.now();
        block_.sync();
        block_.for_workers([&](worker w) {
            if (w.number == 0) { block_.failed(block_.peek(&team_.mail->fault) != 0); }
        });
        block_.sync();
    }

    constexpr bool failed() const { return block_.failed(); }
    constexpr int size() const { return team_.size; }
    constexpr rank_t rank() const { return team_.rank; }

    /// Waits until all ranks are here. What they wrote before can be read then. The first of a call
    /// also tells where the buffers are, and compares what was called.
    constexpr bool meet(bool first = false) {
        ++epoch_;
        if (first) { told_ = epoch_ & 1U; }
        auto const peers = static_cast<std::size_t>(size());
        block_.sync();
        block_.for_workers([&](worker w) {
            share(w, peers, [&](std::size_t r) { tell(static_cast<rank_t>(r), first); });
        });
        block_.for_workers([&](worker w) {
            share(w, peers, [&](std::size_t r) { await(static_cast<rank_t>(r), first); });
        });
        block_.sync();
        return !failed();
    }
    /// The part of a piece that this block of threads has: whole packs, but for the ends. It is the
    /// same in all pieces, of which the largest has `most` elements, for blocks do not wait for
    /// other blocks of their rank before they use the slots again.
    constexpr stretch portion(stretch piece, std::size_t most) const {
        auto const blocks = static_cast<std::size_t>(call_.blocks);
        auto const each = ((most + blocks - 1) / blocks + unit() - 1) / unit() * unit();
        auto const skip = least(each * block_.number(), piece.size);
        return {piece.first + skip, least(each, piece.size - skip)};
    }

    // In rank r's slots: element `first` of part j, of which what goes through the slots now starts
    // at element `begin`. It stands in a pack as in a vector that begins with a whole one.
    constexpr std::byte* in_slot(rank_t r, int j, std::size_t first, std::size_t begin) const {
        auto const slot = team_.slots[r] + (epoch_ & 1U) * team_.slot;
        return slot + place(j, first, begin);
    }
    constexpr std::byte* out_slot(rank_t r, int j, std::size_t first, std::size_t begin) const {
        return team_.slots[r] + 2 * team_.slot + place(j, first, begin);
    }
    /// The input slot of the next meeting.
    constexpr std::byte* next_slot(int j, std::size_t first, std::size_t begin) const {
        auto const slot = team_.slots[rank()] + ((epoch_ + 1) & 1U) * team_.slot;
        return slot + place(j, first, begin);
    }
    /// Elements of each rank's block that go through the slots at a time.
    constexpr std::size_t at_once() const {
        return (slot_of_part() - pack_bytes) / call_.elem_size / unit() * unit();
    }
    /// The slots are cut in so many.
    constexpr void parts(int n) { parts_ = n; }

    /// What rank r said of its buffers in the first meeting.
    constexpr fused_signal::word told(rank_t r) const {
        if (r == rank()) { return mine(); }
        return own().from[block_.number()][r].told[told_];
    }
    constexpr fused_signal::word mine() const {
        return {call_.hash, call_.shows_in ? reinterpret_cast<std::uintptr_t>(call_.in) : 0,
                call_.shows_out ? reinterpret_cast<std::uintptr_t>(call_.out) : 0};
    }

    constexpr void copy(std::byte* to, std::byte const* from, std::size_t bytes) {
        if (bytes == 0 || to == from) { return; }
        packing_finder<std::byte> packs;
        packs.add(to);
        packs.add(from);
        auto const found = packs.of(bytes);
        copy_body const body{to, from, bytes, found.before, found.packs};
        block_.for_workers([&](worker w) { body(w); });
    }
    /// Blocks that this call does not have count its meetings too: slots change by that number.
    constexpr void end() {
        auto const first = block_.number();
        auto const last = first == 0 ? static_cast<std::size_t>(most_fused_blocks) : first + 1;
        block_.for_workers([&](worker w) {
            share(w, last - first, [&](std::size_t i) {
                auto const here = i == 0 || first + i >= static_cast<std::size_t>(call_.blocks);
                if (here) { own().epoch[first + i] = epoch_; }
            });
        });
    }

private:
    constexpr fused_pad& own() const { return *team_.pads[team_.rank]; }
    constexpr std::size_t place(int j, std::size_t first, std::size_t begin) const {
        auto const beyond = begin * call_.elem_size % pack_bytes;
        return static_cast<std::size_t>(j) * slot_of_part() + beyond +
               (first - begin) * call_.elem_size;
    }
    constexpr std::size_t slot_of_part() const {
        return team_.slot / static_cast<std::size_t>(parts_) / pack_bytes * pack_bytes;
    }
    constexpr std::size_t unit() const {  // elements that fill packs
        return pack_bytes % call_.elem_size == 0 ? pack_bytes / call_.elem_size : 1;
    }
    constexpr void tell(rank_t r, bool first) {
        if (r == rank()) { return; }
        auto& there = team_.pads[r]->from[block_.number()][rank()];
        if (first) { there.told[told_] = mine(); }
        block_.publish(&there.epoch, epoch_);
    }
    constexpr void await(rank_t r, bool first) {
        if (r == rank()) { return; }
        auto& here = own().from[block_.number()][r];
        constexpr int looks = 16;  // the host's memory is far away, and the clock not near
        for (int i = 1; block_.look(&here.epoch) < epoch_; ++i) {
            if (i % looks != 0) { continue; }
            if (block_.peek(&team_.mail->abort) != 0 || block_.peek(&team_.mail->fault) != 0) {
                return fail(r, fused_mailbox::aborted, false);
            }
            if (block_.now() - begun_ > call_.allowed) { return run_out_of_time(); }
            block_.pause();
        }
        if (first && here.told[told_].call != call_.hash) {
            fail(r, fused_mailbox::mismatched, true);
        }
    }
    /// Blames all who are not here before anybody can hear of it.
    constexpr void run_out_of_time() {
        for (rank_t r = 0; r < size(); ++r) {
            auto& here = own().from[block_.number()][r];
            if (r == rank() || block_.look(&here.epoch) >= epoch_) { continue; }
            block_.leave(&team_.mail->late[r], fused_mailbox::timed_out);
        }
        fail(rank(), fused_mailbox::timed_out, false);
    }
    /// Ends this rank's part. What others did first is the reason.
    constexpr void fail(rank_t r, std::uint64_t why, bool blame) {
        if (blame) { block_.leave(&team_.mail->late[r], why); }
        if (block_.peek(&team_.mail->fault) == 0) { block_.publish(&team_.mail->fault, why); }
        block_.failed(true);
    }

    Block& block_;
    fused_call const& call_;
    fused_team const& team_;
    std::uint64_t epoch_;
    std::uint64_t begun_ = 0;
    std::uint64_t told_ = 0;
    int parts_ = 1;
};

}  // namespace detail

}  // namespace collectives::cuda
