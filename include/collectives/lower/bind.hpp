// SPDX-License-Identifier: BSD-3-Clause
// Binds a schedule to bytes: follows each chunk through it and decides where its values live. The
// input is read-only; later values live in the output where it covers them, else in scratch.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/lower/bound.hpp>
#include <collectives/lower/chunk_places.hpp>
#include <collectives/lower/dead_after.hpp>
#include <collectives/lower/layout.hpp>
#include <collectives/lower/next_use.hpp>
#include <collectives/lower/receive_places.hpp>
#include <collectives/schedule/schedule.hpp>

#include <cstddef>
#include <utility>

namespace collectives::inline v0::lowering {

class binder {
public:
    /// `completing`: from completing_reductions; empty if the operator has no `finish`.
    [[gnu::cold]] binder(schedule const& what, layout const& at, binding how, bool in_place,
                         lean_vector<std::pair<int, int>> const& completing)
        : what_(what),
          layout_(at),
          how_(how),
          completing_(completing),
          values_(at, in_place, !uses_scratch_once(how.how)),
          uses_(at.bytes.size()),
          arriving_(at.bytes.size()) {
        for (auto const& s : what.steps) {
            for (int k = 0; k < s.chunks.count; ++k) {
                uses_[chunk(s.chunks.first + k)].add(s.round, s.what == verb::send);
            }
        }
    }

    [[gnu::cold]] ~binder() = default;

    /// Call it once. The result lives as long as this.
    [[gnu::cold]] bound_schedule const& make() {
        result_.total_rounds = what_.rounds;
        for (std::size_t i = 0; i < what_.steps.size();) {
            auto end = i;
            while (end < what_.steps.size() && what_.steps[end].round == what_.steps[i].round) {
                ++end;
            }
            make_round(what_.steps.data() + i, what_.steps.data() + end);
            i = end;
        }
        for (std::size_t c = 0; c < layout_.bytes.size(); ++c) { finish(c); }
        if (!over_messages()) {
            for (auto const& s : result_.sends) {
                // Scratch that is handed out once outlives the run, so its readers need not be
                // awaited. A send without bytes has no scratch.
                auto const in_scratch = s.at.where == memory::scratch || s.bytes == 0;
                if (uses_scratch_once(how_.how) && in_scratch) { continue; }
                note_reader(result_.readers, 0, {s.peer, s.round});
            }
        }
        if (reads_in_place()) { note_dead_results(result_); }
        result_.scratch = values_.most_scratch();
        return result_;
    }

private:
    std::size_t chunk(int c) const { return static_cast<std::size_t>(c % what_.chunks); }
    [[gnu::cold, gnu::noinline]] std::size_t bytes_of(chunk_run p) const {
        std::size_t sum = 0;
        for (int k = 0; k < p.count; ++k) { sum += layout_.bytes[chunk(p.first + k)]; }
        return sum;
    }
    /// Whether this round sends something that overlaps the `bytes` bytes at `p`.
    [[gnu::cold, gnu::noinline]] bool sent_now(place p, std::size_t bytes) const {
        for (auto i = static_cast<std::size_t>(round_.sends.first); i < result_.sends.size(); ++i) {
            if (overlap(result_.sends[i].at, result_.sends[i].bytes, p, bytes)) { return true; }
        }
        return false;
    }

    bool over_messages() const { return backend_of(how_.how) == plans::backend::messages; }
    /// Whether peers read values where the plan keeps them.
    bool reads_in_place() const { return how_.how == protocol::zero_copy || is_staged(how_.how); }

    static int count(auto const& all) { return static_cast<int>(all.size()); }
    template <class T>
    static plans::index_range since(lean_vector<T> const& all, int first) {
        return {first, count(all)};
    }

    [[gnu::cold]] void make_round(step const* first, step const* last) {
        round_ = {};
        round_.number = first->round;
        round_.sends.first = count(result_.sends);
        round_.receives.first = count(result_.receives);
        round_.reductions.first = count(result_.reductions);
        round_.overwritten.first = count(result_.overwritten);
        auto const copies = count(result_.copies);
        auto const each_chunk_run = [&](bool sends, auto&& add) {
            for (auto const* s = first; s != last; ++s) {
                if ((s->what == verb::send) != sends) { continue; }
                for (auto const p : cut_range(s->chunks, what_.chunks, how_.whole_ranges)) {
                    add(*s, p);
                }
            }
        };
        each_chunk_run(true, [&](step const& s, chunk_run p) { add_send(s, p); });
        round_.gathers = since(result_.copies, copies);
        round_.gathered_over = since(result_.overwritten, round_.overwritten.first);
        round_.overwritten.first = round_.gathered_over.last;
        each_chunk_run(false, [&](step const& s, chunk_run p) { add_receive(s, p); });
        add_reductions();
        round_.sends = since(result_.sends, round_.sends.first);
        round_.receives = since(result_.receives, round_.receives.first);
        round_.reductions = since(result_.reductions, round_.reductions.first);
        round_.overwritten = since(result_.overwritten, round_.overwritten.first);
        result_.rounds.push_back(round_);
        auto const ends = last == what_.steps.data() + what_.steps.size();
        auto const next_round = ends ? round_.number : last->round;
        for (std::size_t c = 0; c < layout_.bytes.size(); ++c) {
            auto& uses = uses_[c];
            if (uses.after(round_.number) == chunk_use::none && !layout_.wanted[c]) {
                values_.expire(c);
            } else if (!uses.sends_next(round_.number, next_round)) {
                values_.drop_copy(c);  // others may need its place before it is sent again
            }
        }
        values_.end_round();
    }

    [[gnu::cold]] void add_send(step const& s, chunk_run p) {
        auto const bytes = bytes_of(p);
        auto const add = [&](place at) {
            result_.sends.push_back(
                {round_.number, s.peer, s.what, {p.first, p.count}, at, bytes, false, 0, 0});
        };
        if (backend_of(how_.how) == plans::backend::cells) {
            return add({memory::input, layout_.input[chunk(p.first)].offset});
        }
        auto const staged = is_staged(how_.how);
        auto parts = values_.contiguous_ranges(p, staged);
        auto at = parts.front().from;
        if (parts.size() > 1 || (!is_read(how_.how, at.where) && bytes != 0)) {
            if (staged) { parts = values_.contiguous_ranges(p, false); }
            auto const to_output = !staged && values_.can_be_gathered(p);
            auto const is_sent_now = [&](place x, std::size_t n) { return sent_now(x, n); };
            at = to_output ? place{memory::output, layout_.output[chunk(p.first)].offset}
                 : staged  ? values_.stage(p, bytes, is_sent_now)
                           : values_.temporary(bytes);
            note_overwritten(at, to_output ? 0 : bytes);
            auto to = at;
            for (auto& part : parts) {
                part.to = to;
                to.offset += part.bytes;
                if (part.from != part.to && !leave_to_reduction(part)) {
                    result_.copies.push_back(part);
                }
            }
            for (int k = 0; k < p.count && to_output; ++k) { values_.gathered(chunk(p.first + k)); }
        }
        add(at);
    }

    /// Whether the reduction that made this value in the round before can also write the copy. In
    /// scratch that is handed out once, nothing else is at the copy's place in that round.
    bool leave_to_reduction(bound_copy const& c) {
        return uses_scratch_once(how_.how) && !result_.rounds.empty() &&
               stage_at_once(result_, result_.rounds.back().reductions, c);
    }

    [[gnu::cold]] void add_receive(step const& s, chunk_run p) {
        auto const index = count(result_.receives);
        bound_transfer t{round_.number, s.peer, s.what, {p.first, p.count}, {}, bytes_of(p),
                         false,         0,      0};
        if (s.what == verb::recv_reduce) {
            std::size_t offset = 0;
            for (int k = 0; k < p.count; ++k) {
                auto const c = chunk(p.first + k);
                add_arrival(arriving_[c], {s.peer, index, offset});
                offset += layout_.bytes[c];
            }
        } else if (layout_.separate) {
            t.at = {memory::output, layout_.output[chunk(p.first)].offset};
            t.bytes = layout_.output[chunk(p.first)].bytes;
        } else {
            t.at = values_.move(p, t.bytes, [&](place to) { return sent_now(to, t.bytes); });
            note_overwritten(t.at, t.bytes);
        }
        result_.receives.push_back(t);
    }

    /// Joins neighbouring chunks whose reductions have the same shape, and places the results.
    [[gnu::cold]] void add_reductions() {
        auto const chunks = arriving_.size();
        for (std::size_t c = 0; c < chunks;) {
            auto const head = c++;
            if (arriving_[head].empty()) { continue; }
            auto bytes = layout_.bytes[head];
            for (; c < chunks && continues(head, c, bytes); ++c) { bytes += layout_.bytes[c]; }
            add_reduction({static_cast<int>(head), static_cast<int>(c - head)}, bytes,
                          arriving_[head]);
        }
        for (auto& list : arriving_) { list.clear(); }
        if (!over_messages()) { return; }
        settle_receives(
            result_, round_, how_.how == protocol::stream_reduce,
            [&](place at, std::size_t bytes) { return sent_now(at, bytes); },
            [&](std::size_t bytes) { return values_.temporary(bytes); });
    }
    [[gnu::cold]] bool continues(std::size_t head, std::size_t next, std::size_t bytes) const {
        auto const& first = arriving_[head];
        auto const& more = arriving_[next];
        if (first.size() != more.size() || layout_.wanted[head] != layout_.wanted[next] ||
            completes(static_cast<int>(head)) != completes(static_cast<int>(next)) ||
            values_.of(next) != place{values_.of(head).where, values_.of(head).offset + bytes}) {
            return false;
        }
        for (std::size_t k = 0; k < first.size(); ++k) {
            if (first[k].transfer != more[k].transfer ||
                first[k].offset + bytes != more[k].offset) {
                return false;
            }
        }
        return true;
    }
    [[gnu::cold]] bool completes(int c) const {
        for (auto const& [round, chunk] : completing_) {
            if (round == round_.number && chunk == c) { return true; }
        }
        return false;
    }

    [[gnu::cold]] void add_reduction(chunk_run p, std::size_t bytes,
                                     lean_vector<incoming_chunk> const& sources) {
        auto const first = chunk(p.first);
        auto const own = values_.of(first);
        auto const taken = [&](place to) { return reads_in_place() && sent_now(to, bytes); };
        auto const moves = own.where == memory::input || taken(own);
        auto const to = moves ? values_.move(p, bytes, taken) : own;
        for (int k = 0; k < p.count && !moves; ++k) { values_.drop_copy(chunk(p.first + k)); }
        note_overwritten(to, bytes);
        bound_reduction f{to, own, bytes, count(result_.sources), 0, completes(p.first)};
        auto own_is_in = false;
        for (auto const& s : sources) {
            if (!own_is_in && what_.rank < s.peer) {
                result_.sources.push_back({});
                own_is_in = true;
            }
            result_.sources.push_back({s.transfer, s.offset});
        }
        if (!own_is_in) { result_.sources.push_back({}); }
        f.sources = count(result_.sources) - f.first_source;
        result_.reductions.push_back(f);
    }

    /// Copies what the output still lacks of a chunk at the end. A result of a scan that has one
    /// contribution goes through the operator instead.
    [[gnu::cold]] void finish(std::size_t c) {
        if (!layout_.wanted[c]) { return; }
        place const to{memory::output, layout_.output[c].offset};
        if (layout_.separate && static_cast<rank_t>(c) != what_.rank) { return; }
        auto const from = values_.of(c);
        auto const bytes = layout_.output[c].bytes;
        auto const is_alone =
            is_prefix(what_.what) && reduced_ranks(what_.what, what_.size, what_.rank) == 1;
        if ((from == to && !is_alone) || bytes == 0) { return; }
        auto& done = result_.epilogue;
        if (!done.empty() && done.back().to.offset + done.back().bytes == to.offset &&
            done.back().from == place{from.where, from.offset - done.back().bytes}) {
            done.back().bytes += bytes;
        } else {
            done.push_back({to, from, bytes, is_alone});
        }
    }

    /// Notes what this round writes over. The plan waits for the peers that read it in earlier
    /// rounds; at the end it waits for `plan::readers`.
    void note_overwritten(place p, std::size_t bytes) {
        if (!reads_in_place() || bytes == 0) { return; }
        for (auto const& s : result_.sends) {
            if (s.round < round_.number && overlap(s.at, s.bytes, p, bytes)) {
                note_reader(result_.overwritten, round_.overwritten.first, {s.peer, s.round});
            }
        }
    }

    schedule const& what_;
    layout const& layout_;
    binding how_;
    lean_vector<std::pair<int, int>> const& completing_;
    chunk_places values_;
    lean_vector<next_uses> uses_;
    lean_vector<lean_vector<incoming_chunk>> arriving_;  // in this round, per chunk
    bound_round round_;
    bound_schedule result_;
};

}  // namespace collectives::lowering
