// SPDX-License-Identifier: BSD-3-Clause
// What a block of threads does in every fused kernel: it meets its like of the other ranks, knows
// their buffers and slots, and gives up with all of them.
#pragma once

#include <collectives/core/types.hpp>
#include <collectives/space/cuda/body.hpp>
#include <collectives/space/cuda/fused.hpp>

#include <cstddef>
#include <cstdint>

namespace collectives::cuda {

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
/// and `leave` order nothing; of two that write a word each, `fence()`, and read the other's, one
/// sees what the other wrote; `now()` is in ns.
template <class Block>
class fused_session {
public:
    constexpr fused_session(Block& b, fused_call const& c)
        : block_(b), call_(c), team_(*c.with), epoch_(own().epoch[b.number()]) {
        first_ = epoch_ + 1;
        begun_ = block_.now();
        block_.sync();
        block_.for_workers([&](worker w) {
            if (w.number != 0) { return; }
            auto const ended = block_.peek(&own().ended);  // all are on their way at once
            auto const aborted = block_.peek(&team_.mail->abort) != 0;
            auto const faulty = block_.peek(&team_.mail->fault) != 0;
            if (ended != 0) { say(ended); }
            if (aborted) { say(fused_fault{fused_fault::aborted, rank(), 0}.packed()); }
            block_.failed(faulty || ended != 0 || aborted);
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
        auto const all = static_cast<std::size_t>(size());
        block_.sync();
        block_.for_workers([&](worker w) {
            share(w, all, [&](std::size_t r) { tell(static_cast<rank_t>(r), first); });
        });
        block_.for_workers([&](worker w) {
            share(w, all, [&](std::size_t r) { await(static_cast<rank_t>(r), first); });
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

    /// Where rank r's buffers are, by what it said in the first meeting; null: in its slots.
    constexpr std::byte const* in_of(rank_t r) const {
        if (r == rank()) { return call_.where_in == 0 ? nullptr : call_.in; }
        return at(r, own().from[block_.number()][r].told[told_].in);
    }
    constexpr std::byte* out_of(rank_t r) const {
        if (r == rank()) { return call_.where_out == 0 ? nullptr : call_.out; }
        return at(r, own().from[block_.number()][r].told[told_].out);
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
    constexpr std::byte* at(rank_t r, std::uint64_t place) const {
        if (place == 0 || team_.windows == nullptr) { return reinterpret_cast<std::byte*>(place); }
        auto const window =
            static_cast<std::size_t>(r) * fused_place::windows + fused_place::window(place);
        return reinterpret_cast<std::byte*>(block_.peek(&team_.windows[window]) +
                                            fused_place::offset(place));
    }
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
        if (first) { there.told[told_] = {call_.hash, call_.where_in, call_.where_out}; }
        block_.publish(&there.epoch, epoch_);
    }
    constexpr void await(rank_t r, bool first) {
        if (r == rank()) { return; }
        auto& here = own().from[block_.number()][r];
        constexpr int looks = 16;  // the host's memory is far away, and the clock not near
        for (int i = 1; block_.look(&here.epoch) < epoch_; ++i) {
            if (i % looks != 0) { continue; }
            if (block_.peek(&team_.mail->abort) != 0) { return fail(fused_fault::aborted, 0); }
            auto const fault = block_.peek(&team_.mail->fault), ended = block_.peek(&own().ended);
            if (fault != 0 || ended != 0) { return give_up(fault != 0 ? fault : ended); }
            if (block_.now() - begun_ > call_.allowed) { return run_out_of_time(); }
            block_.pause();
        }
        if (!first) { return; }
        auto const& said = here.told[told_];
        if (said.call != call_.hash) { return fail(fused_fault::mismatched, bit(r)); }
        if (said.in == 0 && said.out == 0) { return; }
        block_.fence();  // between what this thread has told r and whether r has given up
        if (auto const ended = block_.peek(&own().ended); ended != 0) { give_up(ended); }
    }
    static constexpr std::uint64_t bit(rank_t r) { return std::uint64_t{1} << r; }
    /// Those who have not told this epoch, or have.
    constexpr std::uint64_t peers(std::uint64_t epoch, bool have) const {
        std::uint64_t result = 0;
        for (rank_t r = 0; r < size(); ++r) {
            if (r == rank()) { continue; }
            auto const told = block_.look(&own().from[block_.number()][r].epoch) >= epoch;
            if (told == have) { result |= bit(r); }
        }
        return result;
    }
    /// Blames all who are not here.
    constexpr void run_out_of_time() { fail(fused_fault::timed_out, peers(epoch_, false)); }
    constexpr void fail(fused_fault::kind why, std::uint64_t who) {
        give_up(fused_fault{why, rank(), who}.packed());
    }
    /// Ends this rank's part, and peers that wait for whomever. Who has not told of this call by
    /// then sees that before it comes into this rank's buffers. Who said so first may have left.
    constexpr void give_up(std::uint64_t why) {
        say(why);
        for (rank_t r = 0; r < size() && !call_.quiet; ++r) {
            if (r == rank() || r == fused_fault::of(why).by) { continue; }
            block_.publish(&team_.pads[r]->ended, why);
        }
        block_.fence();
        block_.leave(&team_.mail->inside[block_.number()], peers(first_, true));
        block_.failed(true);
    }
    /// To the host. What others did first is the reason.
    constexpr void say(std::uint64_t why) {
        if (block_.peek(&team_.mail->fault) == 0) { block_.publish(&team_.mail->fault, why); }
    }

    Block& block_;
    fused_call const& call_;
    fused_team const& team_;
    std::uint64_t epoch_;
    std::uint64_t first_ = 0;  // that this call meets in
    std::uint64_t begun_ = 0;
    std::uint64_t told_ = 0;
    int parts_ = 1;
};

}  // namespace detail

}  // namespace collectives::cuda
