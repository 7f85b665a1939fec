// SPDX-License-Identifier: BSD-3-Clause
// Decides which calls in cells may write their cells, and holds the memory beside the cells.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/lower/protocol.hpp>
#include <collectives/run/program.hpp>
#include <collectives/run/staging_ring.hpp>
#include <collectives/transport/any_transport.hpp>
#include <collectives/transport/shared/board.hpp>

#include <algorithm>
#include <cstdint>

namespace collectives::inline v0::detail {

static_assert(shared::board::few_bytes == lowering::largest_in_few_cells &&
              shared::board::cell_bytes == lowering::largest_in_cells &&
              shared::board::cell_depth(0) == plans::few_cells &&
              shared::board::cell_depth(lowering::largest_in_cells) == plans::more_cells);

/// Numbers the calls in cells of one communicator. A rank that has written number k has finished
/// all calls before it. If d successive calls have cells of their own, a rank may therefore write
/// number k once all ranks have written k - d + 1. It has to look only in a row of calls that do
/// not wait for all ranks.
class cell_window {
    using board_type = shared::board;

public:
    std::uint64_t next() const { return done_ + 1; }
    bool may_write(board_type const& board, cell_form const& form) {
        auto const depth = board_type::cell_depth(form.longest);
        if (next() < all_wrote_ + depth) { return true; }
        auto const needed = next() - depth + 1;
        // A look takes cache lines of all ranks, so one for later calls saves one for each of them.
        return note_written(board, needed + depth / 2) || note_written(board, needed);
    }
    /// Notes that the next call has ended. `all_came`: it had waited for all ranks.
    void finish(bool all_came) {
        ++done_;
        if (all_came) { all_wrote_ = done_; }
    }

    static bool fits_cell(cell_form const& form) { return form.longest <= board_type::cell_bytes; }
    /// Whether there is memory for this rank's input.
    bool has_room(cell_form const& form) const { return form.beside == 0 || beside_.exists(); }
    /// Takes the memory if there is none yet. Throws transport_error if there is none at all.
    void make_room(any_transport& t, cell_form const& form) {
        if (has_room(form)) { return; }
        constexpr auto least = plans::beside_pieces * lowering::largest_beside_cells;
        auto const best = beside_.may_be_long() ? std::max(best_ring_bytes(t), least) : least;
        try {
            beside_.make(t, best);
        } catch (transport_error const&) {
            if (best == least) { throw; }
            beside_.make(t, least);
        }
    }
    /// Whether the next call may be written and needs no memory that is missing.
    bool may_start(board_type const& board, cell_form const& form) {
        return has_room(form) && may_write(board, form);
    }
    /// The memory for inputs that do not fit a cell.
    staging_ring& beside() { return beside_; }

private:
    /// Whether all ranks have written this number.
    bool note_written(board_type const& board, std::uint64_t number) {
        for (rank_t r = 0; r < board.size(); ++r) {
            if (!board.has_written(r, number)) { return false; }
        }
        all_wrote_ = number;
        return true;
    }

    std::uint64_t done_ = 0;
    std::uint64_t all_wrote_ = 0;  // all ranks have written the numbers up to this one
    staging_ring beside_;
};

}  // namespace collectives::detail
