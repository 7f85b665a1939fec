// SPDX-License-Identifier: BSD-3-Clause
// The memory of all ranks in a history: the bytes of each place in a plan, and who takes them over
// from call to call.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/plan/byte_states.hpp>
#include <collectives/plan/expressions.hpp>
#include <collectives/plan/history_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace collectives::inline v0::plans {

/// All functions return why something is wrong, or nothing.
class history_memory {
public:
    /// Elements of a region of memory.
    struct range {
        byte_states* in = nullptr;
        std::size_t first = 0, count = 0;
    };

    history_memory(planned_history const& what, lean_vector<lean_vector<plan>> const& plans,
                   history_graph const& order, expressions& values)
        : what_(what),
          plans_(plans),
          runs_(&order.runs()),
          graph_(&order.graph()),
          values_(values) {
        for (auto const& run : plans) {
            for (auto const& p : run) {
                auto const cells = backend_of(p.shown.how) == backend::cells;
                auto& piece = largest_piece_[cells ? 1 : 0];
                if (p.keeps == scratch_life::ring) {
                    piece = std::max(piece, whole_lines(p.scratch));
                }
            }
        }
    }

    /// The accesses from now on belong to this event.
    void begin(int event) { event_ = event; }
    planned_run const& planned(plan_event const& e) const {
        auto const segment = (*runs_)[static_cast<std::size_t>(e.run)].segment;
        return what_.calls[static_cast<std::size_t>(e.call)]
            .runs[static_cast<std::size_t>(segment)];
    }
    std::string_view read(range const& of, std::size_t k, int& value) {
        return of.in->read(*graph_, event_, of.first + k, value);
    }
    bool is_defined(range const& of, std::size_t k) const {
        return of.in->is_defined(of.first + k);
    }
    std::string_view write(range const& of, std::size_t k, int value) {
        return of.in->write(*graph_, event_, of.first + k, value);
    }
    /// A rank's whole output.
    range output_of(plan_event const& e) {
        auto const& b = buffers(e.call, e.rank);
        return {&memory_[user_key(e.call, e.rank, true)], b.output_at / what_.element,
                b.output_bytes / what_.element};
    }
    /// Does what a caller may do to its buffers before and after a call: anything.
    std::string_view fill_buffers(plan_event const& e, bool with_input) {
        auto const& b = buffers(e.call, e.rank);
        auto const bytes = std::max(b.input_at + b.input_bytes, b.output_at + b.output_bytes);
        for (bool const output : {false, true}) {
            if (output && b.in_place) { continue; }
            auto const key = user_key(e.call, e.rank, output);
            if (auto const why = write_all(key, 0, bytes / what_.element, byte_states::undefined);
                !why.empty()) {
                return why;
            }
        }
        if (!with_input) { return {}; }
        auto& input = memory_[user_key(e.call, e.rank, false)];
        for (auto const& r : what_.calls[static_cast<std::size_t>(e.call)].runs) {
            for (auto const& c : r.wanted.inputs[static_cast<std::size_t>(e.rank)]) {
                for (std::size_t k = 0; k < c.bytes / what_.element; ++k) {
                    auto const at = c.offset / what_.element + k;
                    auto const value = values_.contribution(e.call, e.rank, at);
                    input.write(*graph_, event_, b.input_at / what_.element + at, value);
                }
            }
        }
        return {};
    }
    /// Takes scratch, whose content is undefined, and announces where it is.
    std::string_view announce(plan_event const& e) {
        auto const& r = (*runs_)[static_cast<std::size_t>(e.run)];
        auto const& p = plan_of(e.run, e.rank);
        auto& mine = scratch_[{e.run, e.rank}];
        announced_at_[{e.run, e.rank}] = event_;
        if (r.by != backend::messages) {
            auto const why = write_all(announcement_key(e.run, e.rank), 0, 1, e.run);
            if (!why.empty()) { return why; }
        }
        auto bytes = p.scratch;
        if (r.by == backend::messages) {
            mine.object = {kind::scratch, e.rank, -1 - e.run, 0};
        } else if (p.keeps == scratch_life::run) {
            mine.object = {kind::scratch, e.rank, static_cast<int>(r.by), r.number % runs_at_once};
        } else if (p.keeps == scratch_life::ring) {
            auto const cells = r.by == backend::cells;
            auto const size = largest_piece_[cells] *
                              static_cast<std::size_t>(cells ? beside_pieces : ring_pieces);
            auto& next = ring_next_[{e.rank, cells}];
            if (next + whole_lines(bytes) > size) { next = 0; }
            mine = {{kind::ring, e.rank, cells, 0}, next};
            next += whole_lines(bytes);
        }
        if (r.by == backend::memory) {  // anybody may take what was kept on this channel now
            object_key const kept{kind::channel_scratch, e.rank, r.number % channels, 0};
            auto& most = kept_bytes_[kept];
            if (p.keeps == scratch_life::channel) {
                mine.object = kept;
                most = std::max(most, bytes);
                bytes = 0;
            }
            auto const why = write_all(kept, 0, most / what_.element, byte_states::undefined);
            if (!why.empty()) { return why; }
        }
        return write_all(mine.object, mine.base / what_.element, bytes / what_.element,
                         byte_states::undefined);
    }
    std::string_view leave(plan_event const& e) {
        auto const& p = plan_of(e.run, e.rank);
        if (p.keeps != scratch_life::run) { return {}; }
        return write_all(scratch_[{e.run, e.rank}].object, 0, p.scratch / what_.element,
                         byte_states::undefined);
    }

    /// Finds the elements at a place; returns why if there are none.
    std::string_view find(plan_event const& e, place const& at, std::size_t bytes, range& found) {
        auto const owner = at.peer < 0 ? e.rank : at.peer;
        auto const& b = buffers(e.call, owner);
        auto const& p = plan_of(e.run, owner);
        auto const behind = planned(e).behind;
        object_key key{};
        std::size_t first = at.offset, most = 0, base = 0;
        switch (at.where) {
            case memory::input:
                key = user_key(e.call, owner, false);
                first += behind;
                most = b.input_bytes;
                base = b.input_at;
                break;
            case memory::output:
                key = user_key(e.call, owner, true);
                first += behind;
                most = b.output_bytes;
                base = b.output_at;
                break;
            case memory::scratch:
                key = scratch_[{e.run, owner}].object;
                most = p.scratch;
                base = scratch_[{e.run, owner}].base;
                break;
            case memory::cell: {
                auto const& r = (*runs_)[static_cast<std::size_t>(e.run)];
                if (r.by != backend::cells) { return "it names what is not there"; }
                key = {kind::cell, owner, depth_of(r), r.number % depth_of(r)};
                most = b.input_bytes;
                break;
            }
            default: return "it names what is not there";
        }
        if (first > most || bytes > most - first) { return "it goes beyond a buffer"; }
        if ((first + base) % what_.element != 0 || bytes % what_.element != 0) {
            return "it cuts an element in two";
        }
        found = {&memory_[key], (first + base) / what_.element, bytes / what_.element};
        return at.peer < 0 ? std::string_view{} : read_announcement(e, owner);
    }
    /// A conditional wait reads a peer's announcement. It may be that of a later run: then the peer
    /// has left this one, and there is nothing to wait for. It must never be that of an older run.
    std::string_view ask_announcement(plan_event const& e, rank_t peer) const {
        auto const found = announced_at_.find({e.run, peer});
        auto const is_there = found != announced_at_.end() && graph_->before(found->second, event_);
        return is_there ? std::string_view{} : "it asks for what may not be announced yet";
    }
    /// Reads where a peer's memory is, from its announcement, which must be that of this run.
    std::string_view read_announcement(plan_event const& e, rank_t peer) {
        int value = 0;
        auto const why = memory_[announcement_key(e.run, peer)].read(*graph_, event_, 0, value);
        return !why.empty() ? why : value != e.run ? "it reads another run's announcement" : why;
    }

private:
    /// A region of memory: its kind, its rank and its number.
    enum class kind : int { user, scratch, channel_scratch, ring, cell, announcement };
    using object_key = std::tuple<kind, rank_t, int, int>;
    struct scratch_place {
        object_key object{};
        std::size_t base = 0;
    };

    plan const& plan_of(int run, rank_t rank) const {
        return plans_[static_cast<std::size_t>(run)][static_cast<std::size_t>(rank)];
    }
    user_buffers const& buffers(int call, rank_t rank) const {
        return what_.calls[static_cast<std::size_t>(call)].buffers[static_cast<std::size_t>(rank)];
    }
    object_key user_key(int call, rank_t rank, bool output) const {
        auto const apart = output && !buffers(call, rank).in_place ? 1 : 0;
        return {kind::user, rank, what_.overlapping ? call : 0, apart};
    }

    std::string_view write_all(object_key key, std::size_t first, std::size_t count, int value) {
        auto& object = memory_[key];
        for (std::size_t k = 0; k < count; ++k) {
            if (auto const why = object.write(*graph_, event_, first + k, value); !why.empty()) {
                return why;
            }
        }
        return {};
    }
    object_key announcement_key(int run, rank_t rank) const {
        auto const& r = (*runs_)[static_cast<std::size_t>(run)];
        auto const depth = depth_of(r);
        return {kind::announcement, rank, depth, r.number % depth};
    }
    int depth_of(run_of_history const& r) const {
        return r.by == backend::memory ? channels
                                       : what_.calls[static_cast<std::size_t>(r.call)].cell_depth;
    }

    planned_history const& what_;
    lean_vector<lean_vector<plan>> const& plans_;
    lean_vector<run_of_history> const* runs_;
    event_graph const* graph_;
    expressions& values_;
    int event_ = -1;
    std::map<object_key, byte_states> memory_;
    std::map<std::pair<int, rank_t>, scratch_place> scratch_;
    std::map<std::pair<int, rank_t>, int> announced_at_;  // events
    std::map<object_key, std::size_t> kept_bytes_;
    std::map<std::pair<rank_t, bool>, std::size_t> ring_next_;
    std::size_t largest_piece_[2] = {0, 0};  // of runs, of calls in cells
};

}  // namespace collectives::plans
