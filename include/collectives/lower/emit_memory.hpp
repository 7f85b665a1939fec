// SPDX-License-Identifier: BSD-3-Clause
// Plans over peers' memory. A rank publishes that it has come to a round once everything that peers
// read in that round is in place. Before it overwrites something, it waits until its readers are
// done.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/lower/layout.hpp>
#include <collectives/lower/plan_writer.hpp>

#include <cstddef>

namespace collectives::inline v0::lowering {

class memory_emitter {
public:
    /// `pushes`: the rank that adds up a chunk writes the sum to the outputs of all ranks that take
    /// sums. Given a layout (chunks at the same place in all outputs), ranks that send in the last
    /// round write there, too, so each value is read once. If such a schedule has two rounds, a
    /// rank that passes a value on reads it at its source, and makes no copy first. A rank that
    /// shares copies (of a schedule with one round) writes there the second half of what it sends.
    memory_emitter(plans::plan& to, bound_schedule const& from, bool pushes, layout const* outputs)
        : to_(to),
          from_(from),
          write_(to),
          offer_of_(from.receives.size()),
          pushes_(pushes),
          outputs_(pushes ? outputs : nullptr),
          shared_(to.shown.shares_copies ? outputs : nullptr),
          forwards_(outputs_ != nullptr && from.total_rounds == 2) {}

    [[gnu::cold]] void run() {
        number_offers();
        write_.wait_for_window(plans::channels, plans::left);
        for (std::size_t r = 0; r < from_.rounds.size(); ++r) { emit(r); }
        write_.publish(plans::left);
        copy_rest(true);
        // The readers of scratch that outlives the run need not be awaited.
        if (to_.keeps == plans::scratch_life::run || is_read(to_.shown.how, memory::input)) {
            for (auto const& r : from_.readers) {
                write_.wait(r.peer, end_of_reading(r.round));
                if (pushes_ && is_last(r.round)) {
                    to_.program.back().when = plans::condition::unless_peer_takes_results;
                }
            }
        }
        copy_rest(false);
        write_.end();
    }

private:
    /// Copies what the output lacks: its own input while peers still read, the rest after that.
    [[gnu::cold]] void copy_rest(bool meanwhile) {
        for (auto const& c : from_.epilogue) {
            auto const early = !c.completes && c.from.where == memory::input;
            if (early != meanwhile || is_pushed(c.to, c.bytes)) { continue; }
            write_.copy(write_.own(c.to), write_.own(c.from), c.bytes, store::dead_after,
                        c.completes);
        }
    }
    [[gnu::cold]] void number_offers() {
        for (auto const& s : from_.sends) {
            to_.offers.push_back({s.peer, s.round, write_.own(s.at), s.bytes});
        }
        lean_vector<int> next(static_cast<std::size_t>(to_.size));
        for (std::size_t i = 0; i < from_.receives.size(); ++i) {
            offer_of_[i] = next[static_cast<std::size_t>(from_.receives[i].peer)]++;
        }
    }
    plans::place offered(int receive, std::size_t offset) const {
        auto const i = static_cast<std::size_t>(receive);
        return {memory::offer, from_.receives[i].peer, offer_of_[i], offset};
    }
    bool is_last(int round) const { return round == from_.total_rounds - 1; }
    /// When a peer has read what it takes in a round.
    plans::point end_of_reading(int round) const {
        return plans::done(forwards_ ? from_.total_rounds - 1 : round);
    }
    static bool is_same(bound_transfer const& a, bound_transfer const& b) {
        return a.at == b.at && a.bytes == b.bytes;
    }
    /// The receive of the first round that brings what `send` sends on in the last one, else -1.
    [[gnu::cold]] int forwarded_by(bound_transfer const& send) const {
        for (std::size_t i = 0; forwards_ && i < from_.receives.size(); ++i) {
            if (!is_last(from_.receives[i].round) && is_same(from_.receives[i], send)) {
                return static_cast<int>(i);
            }
        }
        return -1;
    }
    [[gnu::cold]] bool is_forwarded(int receive) const {
        for (auto const& sent : from_.sends) {
            if (is_last(sent.round) && forwarded_by(sent) == receive) { return true; }
        }
        return false;
    }
    /// Whether `push_copies` has written so many bytes of the own output there.
    [[gnu::cold]] bool is_pushed(place const& own, std::size_t bytes) const {
        for (auto const& its : pushed_) {
            if (its.at == own && its.bytes >= bytes) { return true; }
        }
        return false;
    }
    /// Waits until each rank to which a round sends has come, so that its output may be written.
    [[gnu::cold]] void wait_for_takers(bound_round const& r) {
        auto const* const sends = from_.sends.data();
        for (rank_t peer = 0; peer < to_.size; ++peer) {
            auto i = r.sends.first;
            while (i < r.sends.last && sends[i].peer != peer) { ++i; }
            if (i < r.sends.last) { write_.wait(peer, plans::come(r.number)); }
        }
    }
    /// Writes the second half of each value that a round sends to peers that share.
    [[gnu::cold]] void write_halves(bound_round const& r) {
        wait_for_takers(r);
        for (int i = r.sends.first; i < r.sends.last; ++i) {
            auto const& s = from_.sends[static_cast<std::size_t>(i)];
            auto const first = static_cast<std::size_t>(s.chunks.first);
            place const to{memory::output, shared_->output[first].offset};
            copy_half({memory::output, s.peer, 0, to.offset}, write_.own(s.at), s.bytes, s.peer,
                      plans::condition::if_peer_shares);
        }
        if (r.sends.size() != 0) { write_.publish(plans::done(r.number)); }
    }
    std::size_t first_half(std::size_t bytes) const {
        return (bytes / shared_->elem_size + 1) / 2 * shared_->elem_size;
    }
    /// Copies the second half of so many bytes, as far as `peer` says.
    [[gnu::cold]] void copy_half(plans::place to, plans::place from, std::size_t bytes, rank_t peer,
                                 plans::condition when) {
        auto const half = first_half(bytes);
        if (half == bytes) { return; }  // one element, or none
        to.offset += half;
        from.offset += half;
        write_.copy(to, from, bytes - half);
        to_.program.back().peer = peer;
        to_.program.back().when = when;
    }
    /// Writes each value that a round sends to all outputs that want it, in one pass.
    [[gnu::cold]] void push_copies(bound_round const& r) {
        auto const* const sends = from_.sends.data();
        wait_for_takers(r);
        for (int i = r.sends.first; i < r.sends.last; ++i) {
            auto const bytes = sends[i].bytes;
            auto earlier = r.sends.first;
            while (earlier < i && !is_same(sends[i], sends[earlier])) { ++earlier; }
            if (bytes == 0 || earlier < i) { continue; }
            auto const first = static_cast<std::size_t>(sends[i].chunks.first);
            place const to{memory::output, outputs_->output[first].offset};
            write_.add(opcode::copy, bytes);
            auto const forwarded = forwarded_by(sends[i]);
            write_.read(forwarded < 0 ? write_.own(sends[i].at) : offered(forwarded, 0));
            if (forwarded >= 0) { write_.write(write_.own(sends[i].at), store::dead_after); }
            if (sends[i].at != to) {
                write_.write(write_.own(to), store::dead_after);
                pushed_.push_back({to, bytes});
            }
            for (int k = i; k < r.sends.last; ++k) {
                if (is_same(sends[i], sends[k])) {
                    write_.write({memory::output, sends[k].peer, 0, to.offset}, store::measured);
                }
            }
        }
    }
    [[gnu::cold]] void wait_for(index_range who) {
        for (int i = who.first; i < who.last; ++i) {
            auto const& o = from_.overwritten[static_cast<std::size_t>(i)];
            write_.wait(o.peer, end_of_reading(o.round));
        }
    }

    [[gnu::cold]] void emit(std::size_t index) {
        auto const& r = from_.rounds[index];
        write_.begin_round(r.number);
        // Publish before waiting: the peer that this rank waits for may wait for this rank.
        if (index > 0 && r.gathered_over.size() != 0) {
            write_.publish(plans::done(from_.rounds[index - 1].number));
        }
        wait_for(r.gathered_over);
        auto const staged = is_staged(to_.shown.how) ? store::measured : store::cached;
        for (int c = r.gathers.first; c < r.gathers.last; ++c) {
            auto const& g = from_.copies[static_cast<std::size_t>(c)];
            write_.copy(write_.own(g.to), write_.own(g.from), g.bytes, staged);
        }
        write_.publish(plans::come(r.number));
        wait_for(r.overwritten);
        auto const takes = to_.shown.takes_results && is_last(r.number);
        auto const waits_for_writers =
            outputs_ != nullptr && is_last(r.number) && (takes || forwards_);
        if (outputs_ != nullptr && is_last(r.number)) { push_copies(r); }
        if (waits_for_writers && r.sends.size() != 0) { write_.publish(plans::done(r.number)); }
        if (shared_ != nullptr) { write_halves(r); }
        for (int i = r.receives.first; i < r.receives.last; ++i) {
            auto const& t = from_.receives[static_cast<std::size_t>(i)];
            write_.wait(t.peer, waits_for_writers ? plans::done(t.round) : plans::come(t.round));
            if (t.action != verb::recv_copy || takes || is_forwarded(i)) { continue; }
            if (shared_ != nullptr) {
                write_.copy(write_.own(t.at), offered(i, 0), first_half(t.bytes));
                copy_half(write_.own(t.at), offered(i, 0), t.bytes, t.peer,
                          plans::condition::unless_peer_shares);
                continue;
            }
            write_.copy(write_.own(t.at), offered(i, 0), t.bytes,
                        t.dead_after ? store::dead_after : store::cached);
        }
        for (int i = r.receives.first; shared_ != nullptr && i < r.receives.last; ++i) {
            auto const& t = from_.receives[static_cast<std::size_t>(i)];
            write_.wait(t.peer, plans::done(t.round));
        }
        for (int f = r.reductions.first; f < r.reductions.last; ++f) {
            reduce(from_.reductions[static_cast<std::size_t>(f)]);
        }
    }
    [[gnu::cold]] void reduce(bound_reduction const& f) {
        if (f.bytes == 0) { return; }
        write_.add(opcode::reduce, f.bytes).completes = f.completes;
        for (int k = 0; k < f.sources; ++k) {
            auto const& s = from_.sources[static_cast<std::size_t>(f.first_source + k)];
            write_.read(s.transfer < 0 ? write_.own(f.own) : offered(s.transfer, s.offset));
        }
        write_.write(write_.own(f.to), f.dead_after ? store::dead_after : store::cached);
        if (f.stages) {
            write_.write(write_.own(f.staged), store::measured);
            if (pushes_) { to_.program.back().when = plans::condition::unless_all_take_results; }
        }
        for (rank_t r = 0; pushes_ && r < to_.size; ++r) {
            if (r != to_.rank) {
                write_.write({memory::output, r, 0, f.to.offset}, store::measured);
            }
        }
    }

    plans::plan& to_;
    bound_schedule const& from_;
    plan_writer write_;
    lean_vector<int> offer_of_;  // of each receive
    bool pushes_;
    layout const* outputs_;  // where copies are pushed to; null: only sums are pushed
    layout const* shared_;   // where second halves are written to; null: copies are not shared
    bool forwards_;          // a value that is passed on is read at its source
    struct own_part {
        place at;
        std::size_t bytes;
    };
    lean_vector<own_part> pushed_;  // of the own output
};

}  // namespace collectives::lowering
