// SPDX-License-Identifier: BSD-3-Clause
// The flat executor, for small vectors and schedules of one round: each rank writes its input, with
// its number, where all can read it, and reads those of the ranks it needs.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/executor/buffers.hpp>
#include <collectives/executor/group.hpp>
#include <collectives/executor/line_watch.hpp>
#include <collectives/executor/program.hpp>
#include <collectives/executor/rotation.hpp>
#include <collectives/executor/space.hpp>
#include <collectives/transport/any_transport.hpp>
#include <collectives/transport/shared/board.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace collectives {

/// Numbers the flat calls of a communicator. Who has written number k has finished all before; so
/// where d calls in a row have cells of their own, a rank may write number k once all have written
/// k - d + 1. Only the roots of collectives that do not wait for all ever have to look.
class flat_book {
    using board_type = shared::board;

public:
    std::uint64_t next() const { return done_ + 1; }
    bool may_write(board_type const& board, flat_form const& form) {
        auto const depth = board_type::flat_depth(form.bytes);
        if (next() < all_wrote_ + depth) { return true; }
        auto const needed = next() - depth + 1;
        for (rank_t r = 0; r < board.size(); ++r) {
            if (!board.has_written(r, needed)) { return false; }
        }
        all_wrote_ = needed;
        return true;
    }
    /// The next call has ended; `all_came`: it had waited for all ranks.
    void finish(bool all_came) {
        ++done_;
        if (all_came) { all_wrote_ = done_; }
    }

    static bool fits_cell(flat_form const& form) { return form.bytes <= board_type::cell_bytes; }
    /// Whether there is memory for this rank's contribution.
    bool has_room(flat_form const& form) const {
        return fits_cell(form) || form.sent == 0 || beside_.exists();
    }
    /// Takes it, if there is none yet. Throws transport_error if there is none at all.
    void make_room(any_transport& t, flat_form const& form) {
        if (has_room(form)) { return; }
        constexpr auto most = board_type::flat_bytes;
        constexpr auto least = (board_type::flat_depth(most) + 1) * most;
        auto const best = std::max(best_rotation(t), least);
        try {
            beside_.make(t, best);
        } catch (transport_error const&) {
            if (best == least) { throw; }
            beside_.make(t, least);
        }
    }
    /// Whether the next one may be written and needs no memory that is not there yet.
    bool may_start(board_type const& board, flat_form const& form) {
        return has_room(form) && may_write(board, form);
    }
    /// Where contributions lie that cells have no room for.
    rotation& beside() { return beside_; }

private:
    std::uint64_t done_ = 0;
    std::uint64_t all_wrote_ = 0;  // numbers up to this one have been written by all
    rotation beside_;
};

/// One small collective.
class flat_run {
    using board_type = shared::board;

public:
    flat_run() = default;
    flat_run(flat_run const&) = delete;  // it points into its own vectors
    flat_run& operator=(flat_run const&) = delete;
    flat_run(flat_run&&) noexcept = default;
    flat_run& operator=(flat_run&&) noexcept = default;
    ~flat_run() = default;

    /// The flat form of a program, null if it does not run so.
    static flat_form const* form_of(program& p) { return p.flat(board_type::flat_bytes); }

    /// Writes this rank's contribution and its cell, which `book` must allow; the caller wakes the
    /// others. All must live until `finish` returns. Throws transport_error, before
    /// anything is written, if there is no memory for the contribution (see `may_start`).
    void start(any_transport& t, board_type& board, flat_book& book, line_watch& watch,
               rank_group const& group, std::uint64_t number, std::uint64_t hash,
               flat_form const& form, void const* in, void* out, reducer const* op) {
        transport_ = &t;
        book_ = &book;
        cells_ = board.cells(number, form.bytes);
        size_ = group.size();
        number_ = number;
        hash_ = hash;
        form_ = &form;
        if (form.steps->scratch != 0) { scratch_.resize(form.steps->scratch); }
        at_ = {static_cast<std::byte const*>(in), static_cast<std::byte*>(out), scratch_.data()};
        op_ = op;
        seen_ = 0;
        wrong_ = false;
        auto& mine = cells_[group.rank()];
        in_cells_ = flat_book::fits_cell(form);
        if (in_cells_) {
            // What does not fit beside the stamp begins a line of its own: processors copy and add
            // whole lines quicker than what lies across two.
            lead_ = form.bytes <= mine.beside ? 0 : mine.beside;
            copy_input(mine.payload() + lead_, at_.input, form.sent, watch);
        } else if (form.sent != 0) {
            book.make_room(t, form);
            auto* const place = book.beside().take(form.sent);
            host::copy(place, at_.input, form.sent, watch.best(place, form.sent));
            static_assert(sizeof(told_place) <= std::remove_cvref_t<decltype(mine)>::beside);
            told_place const its{t.memory()->reach(place, form.sent), book.beside().told()};
            std::memcpy(mine.payload(), &its, sizeof its);
        }
        mine.hash = hash;
        mine.stamp.store(number, std::memory_order_release);
        if (in_cells_) { find_sources(); }  // takes no time while a line is on its way
    }
    /// Whether those have written their cells that this rank reads.
    bool is_ready() {
        auto const& receives = form_->steps->receives;
        for (; seen_ < receives.size(); ++seen_) {
            auto const& its = cells_[receives[seen_].peer];
            if (its.stamp.load(std::memory_order_acquire) != number_) { return false; }
            if (its.hash != hash_) {
                wrong_ = true;
                return false;
            }
        }
        return true;
    }
    bool waits_for_all() const { return form_->waits_for_all; }
    /// A peer came with another call, this one.
    bool wrong() const { return wrong_; }
    rank_t wrong_peer() const { return form_->steps->receives[seen_].peer; }
    /// Once it is ready: carries out this rank's part. Throws what the operator throws.
    void finish() {
        if (!in_cells_) { find_sources(); }
        auto const& steps = *form_->steps;
        if (form_->copies) {
            for (std::size_t i = 0; i < steps.receives.size(); ++i) {
                auto const& t = steps.receives[i];
                if (t.action == verb::recv_copy && t.bytes != 0) {
                    host::copy(at_.write(t.at), input_of(t.peer) + form_->places[i].offset,
                               t.bytes);
                }
            }
        }
        for (auto const& f : steps.folds) {
            carry_out(f, *op_, at_.write(f.to), sources_.data() + f.first_source, f.bytes,
                      {size_, true});
        }
        for (auto const& c : steps.epilogue) { at_.carry_out(any_space{}, c); }
    }

private:
    /// What a cell tells that has no room for the contribution itself.
    struct told_place {
        std::uint64_t where = 0;
        memory_range around;
    };

    /// As memcpy, whose call takes longer than the copy of a number.
    static void copy_input(std::byte* to, std::byte const* from, std::size_t bytes,
                           line_watch& watch) {
        if (bytes == sizeof(std::uint32_t)) {
            std::memcpy(to, from, sizeof(std::uint32_t));
        } else if (bytes == sizeof(std::uint64_t)) {
            std::memcpy(to, from, sizeof(std::uint64_t));
        } else {
            host::copy(to, from, bytes, watch.best(to, bytes));
        }
    }
    std::byte const* input_of(rank_t peer) const {
        if (in_cells_) { return cells_[peer].payload() + lead_; }
        told_place its;
        std::memcpy(&its, cells_[peer].payload(), sizeof its);
        auto& memory = *transport_->memory();
        book_->beside().meet(memory, peer, its.around);
        return memory.at(its.where);
    }
    void find_sources() {
        auto const& from = form_->sources;
        if (sources_.size() < from.size()) { sources_.resize(from.size()); }
        for (auto const& f : form_->steps->folds) {
            auto const* const own = at_.read(f.own);
            auto const first = static_cast<std::size_t>(f.first_source);
            for (auto i = first; i < first + static_cast<std::size_t>(f.sources); ++i) {
                auto const& s = from[i];
                sources_[i] = s.peer < 0 ? own : input_of(s.peer) + s.offset;
            }
        }
    }

    using cells = decltype(std::declval<board_type&>().cells(0, 0));

    any_transport* transport_ = nullptr;
    flat_book* book_ = nullptr;
    cells cells_{};
    int size_ = 0;
    std::uint64_t number_ = 0;
    std::uint64_t hash_ = 0;
    flat_form const* form_ = nullptr;
    run_buffers at_{};
    std::vector<void const*> sources_;  // of all folds
    std::vector<std::byte> scratch_;    // empty for the library's own algorithms
    reducer const* op_ = nullptr;
    bool in_cells_ = true;  // where contributions lie
    std::size_t lead_ = 0;  // bytes of each payload that are left out
    std::size_t seen_ = 0;
    bool wrong_ = false;
};

}  // namespace collectives
