// SPDX-License-Identifier: BSD-3-Clause
// Carries out plans in cells. Each rank writes its small input, with the number of the call, to a
// cell that all ranks can read, and reads the cells it needs.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/store_probe.hpp>
#include <collectives/run/buffers.hpp>
#include <collectives/run/cell_window.hpp>
#include <collectives/run/engine.hpp>
#include <collectives/run/program.hpp>
#include <collectives/run/running_call.hpp>
#include <collectives/run/space.hpp>
#include <collectives/transport/shared/board.hpp>
#include <collectives/transport/shared/snapshot.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace collectives::inline v0::detail {

/// One call in cells. The object is reused from call to call.
class cell_run {
public:
    cell_run() = default;
    cell_run(cell_run const&) = delete;  // it points into its own vectors
    cell_run& operator=(cell_run const&) = delete;

    /// Writes this rank's input to its cell for call `number`, which the engine's window must
    /// allow. The caller wakes the other ranks. Engine and form must live until `finish` returns,
    /// and what `of` points to. Throws transport_error, before it writes anything, if there is no
    /// memory for the input (see `may_start`).
    void start(engine& e, std::uint64_t number, cell_form const& form, running_call const& of) {
        engine_ = &e;
        cells_ = e.shared_board().cells(number, form.longest);
        number_ = number;
        hash_ = of.hash;
        form_ = &form;
        if (form.steps.scratch != form.beside && form.steps.scratch > scratch_.size()) {
            scratch_.resize(form.steps.scratch);
        }
        buffers_ = {of.in, of.out, scratch_.data()};
        op_ = of.op;
        seen_ = form.waits;
        wrong_ = false;
        auto& mine = cells_[e.rank()];
        in_cells_ = cell_window::fits_cell(form);
        if (in_cells_) {
            // An input that does not fit beside the stamp begins at the next line: processors copy
            // and add whole lines faster than data across two lines.
            lead_ = form.longest <= mine.beside ? 0 : mine.beside;
            copy_input(mine.payload() + lead_, buffers_.input, form.sent, e.watch);
        } else if (form.sent != 0) {
            e.cells.make_room(e.carrier(), form);
            auto& beside = e.cells.beside();
            auto* const place = beside.take(form.sent);
            host::copy(place, buffers_.input, form.sent, e.watch.best(place, form.sent));
            static_assert(sizeof(shown_place) <= std::remove_cvref_t<decltype(mine)>::beside);
            shown_place const its{e.memory()->reach(place, form.sent), beside.announced()};
            std::memcpy(mine.payload(), &its, sizeof its);
        }
        mine.hash = hash_;
        mine.stamp.store(number, std::memory_order_release);
        if (in_cells_) {  // costs no time while a cache line is in transfer
            find_sources([&](rank_t peer) { return cells_[peer].payload() + lead_; });
        }
    }
    /// Whether the ranks that this rank reads from have written their cells.
    bool is_ready() {
        for (; seen_ < form_->rest; ++seen_) {
            auto const& its = cells_[form_->steps.program[seen_].peer];
            if (its.stamp.load(std::memory_order_acquire) != number_) { return false; }
            if (its.hash != hash_) {
                wrong_ = true;
                return false;
            }
        }
        return true;
    }
    /// The wait that it cannot get past, or null.
    [[gnu::cold]] plans::instruction const* stuck_at() const {
        return seen_ < form_->rest ? &form_->steps.program[seen_] : nullptr;
    }
    bool all_come() const { return form_->all_come; }
    /// Whether a peer came with another call.
    bool wrong() const { return wrong_; }
    rank_t wrong_peer() const { return form_->steps.program[seen_].peer; }
    /// Carries out the rest of the plan. Call it once `is_ready`. Throws what the operator throws.
    void finish() {
        if (!in_cells_) {
            find_sources([&](rank_t peer) { return shown_beside(peer); });
        }
        auto const& steps = form_->steps;
        for (auto k = form_->rest; k < steps.program.size(); ++k) {
            auto const& i = steps.program[k];
            auto const* const from = sources_.data() + i.sources.first;
            auto* const to = buffers_.write(
                steps.destinations[static_cast<std::size_t>(i.destinations.first)].to);
            if (i.what == plans::opcode::reduce) {
                carry_out(i, *op_, to, from, i.bytes, {steps.size, true});
            } else {
                host::copy(to, *from, i.bytes);
            }
        }
    }

private:
    /// What a cell holds that has no room for the input: where the input is.
    struct shown_place {
        std::uint64_t where = 0;
        memory_range ring;
    };

    /// Does what memcpy does. A call of memcpy takes longer than the copy of one number.
    static void copy_input(std::byte* to, std::byte const* from, std::size_t bytes,
                           store_probe& watch) {
        if (bytes == sizeof(std::uint32_t)) {
            std::memcpy(to, from, sizeof(std::uint32_t));
        } else if (bytes == sizeof(std::uint64_t)) {
            std::memcpy(to, from, sizeof(std::uint64_t));
        } else {
            host::copy(to, from, bytes, watch.best(to, bytes));
        }
    }
    /// Where a peer's input is, if its cell has no room: the start of its scratch.
    std::byte const* shown_beside(rank_t peer) const {
        shown_place its;
        std::memcpy(&its, cells_[peer].payload(), sizeof its);
        its = shared::snapshot(its);
        auto& memory = *engine_->memory();
        engine_->cells.beside().prefault(memory, peer, its.ring);
        return memory.at(its.where, form_->longest);
    }
    /// `shown(peer)`: where a peer's input starts.
    template <class Shown>
    [[gnu::always_inline]] void find_sources(Shown&& shown) {
        auto const& from = form_->steps.sources;
        if (sources_.size() < from.size()) { sources_.resize(from.size()); }
        auto* to = sources_.data() + form_->first_source;
        for (auto const* p = from.data() + form_->first_source; p != from.data() + from.size();
             ++p) {
            *to++ = p->peer < 0 ? buffers_.read(*p) : shown(p->peer) + p->offset;
        }
    }

    engine* engine_ = nullptr;
    shared::board::cell_row cells_{};
    std::uint64_t number_ = 0;
    std::uint64_t hash_ = 0;
    cell_form const* form_ = nullptr;
    run_buffers buffers_{};
    lean_vector<void const*> sources_;  // of the plan, from `first_source` on
    lean_vector<std::byte> scratch_;    // empty for the algorithms of the library
    reducer const* op_ = nullptr;
    bool in_cells_ = true;  // whether inputs are in the cells
    std::size_t lead_ = 0;  // bytes of each payload that are left out
    std::size_t seen_ = 0;  // instructions
    bool wrong_ = false;
};

}  // namespace collectives::detail
