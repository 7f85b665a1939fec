// SPDX-License-Identifier: BSD-3-Clause
// Which calls in cells may be written, and for how long memory beside the cells is left alone: no
// call more, and none fewer.
#include <collectives/run/cell_window.hpp>
#include <collectives/transport/model.hpp>
#include <collectives/transport/shared/heap_memory.hpp>
#include <collectives/transport/threads.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

namespace coll = collectives;
namespace plans = coll::plans;
namespace shared = coll::shared;

namespace {

/// The calls of rank 0, and a peer that writes its cells when it is told to.
struct calls_of_two {
    shared::heap_memory memory;
    std::byte* place = static_cast<std::byte*>(memory.allocate(shared::board::bytes(2)));
    shared::board board = created(place);
    coll::detail::cell_window cells;

    ~calls_of_two() { memory.deallocate(place, shared::board::bytes(2)); }

    static shared::board created(std::byte* place) {
        shared::board::create(place, 2);
        return {{}, place, {0, 1}, 0};
    }
    static coll::detail::cell_form of(std::size_t bytes) {
        coll::detail::cell_form form;
        form.longest = bytes;
        return form;
    }
    void write(coll::rank_t r, std::uint64_t number, std::size_t bytes) {
        board.cells(number, bytes)[r].stamp.store(number);
    }
    /// Calls until one may not be written, or too many were; returns the next.
    std::uint64_t go_on(std::size_t bytes, bool all_came) {
        while (cells.next() < 1000 && cells.may_start(board, of(bytes))) {
            write(0, cells.next(), bytes);
            cells.finish(all_came);
        }
        return cells.next();
    }
};

constexpr std::size_t in_few = coll::lowering::largest_in_few_cells;
constexpr std::size_t in_more = coll::lowering::largest_in_cells;

}  // namespace

TEST_CASE("a cell is written once all have ended the last call that had it") {
    for (auto const bytes : {in_few, in_more}) {
        CAPTURE(bytes);
        calls_of_two all;
        auto const depth = shared::board::cell_depth(bytes);
        // A peer that has written number n has ended all calls before it.
        for (std::uint64_t written = 0; written < 3 * depth; ++written) {
            CAPTURE(written);
            if (written > 0) { all.write(1, written, bytes); }
            CHECK(all.go_on(bytes, false) == written + depth);
        }
        for (auto written = 3 * depth; written < 4 * depth; ++written) {  // it catches up
            all.write(1, written, bytes);
        }
        CHECK(all.go_on(bytes, false) == 5 * depth - 1);
    }
}

TEST_CASE("a call that has waited for all ranks has seen them write it") {
    for (auto const bytes : {in_few, in_more}) {
        CAPTURE(bytes);
        calls_of_two all;
        auto const depth = shared::board::cell_depth(bytes);
        for (int call = 0; call < 100; ++call) { all.cells.finish(true); }
        all.cells.finish(false);
        CHECK(all.go_on(bytes, false) == 100 + depth);
    }
}

TEST_CASE("calls with many cells and with few follow each other") {
    calls_of_two all;
    constexpr std::uint64_t begun = 40, depth = plans::more_cells;
    while (all.cells.next() < begun) {
        all.write(0, all.cells.next(), in_few);
        all.cells.finish(false);
    }
    all.write(1, begun - depth, in_few);
    CHECK(all.go_on(in_more, false) == begun);
    CHECK(all.cells.may_start(all.board, all.of(in_few)));
    for (auto const bytes : {in_few, in_more}) {  // of either kind the peer's next call may be
        all.write(1, all.cells.next() - depth + 1, bytes);
        CHECK(all.go_on(in_more, false) == begun + (bytes == in_few ? 1 : 2));
    }
}

TEST_CASE("a piece beside the cells is left alone until all have ended its call") {
    coll::threads::job const job(1);
    auto const carrier = coll::erase(job.rank(0));
    calls_of_two all;
    auto staged = coll::detail::most_in_long_rings;  // so the ring is as short as can be
    all.cells.beside().count_in(staged);
    auto form = all.of(coll::lowering::largest_beside_cells);
    form.beside = form.longest;
    CHECK_FALSE(coll::detail::cell_window::fits_cell(form));
    CHECK_FALSE(all.cells.may_start(all.board, form));
    all.cells.make_room(*carrier, form);
    CHECK(all.cells.may_start(all.board, form));

    // The call that takes the first piece again has seen all end that one's call.
    auto& beside = all.cells.beside();
    auto* const first = beside.take(form.beside);
    for (int piece = 1; piece < plans::beside_pieces; ++piece) {
        CHECK(beside.take(form.beside) == first + static_cast<std::size_t>(piece) * form.beside);
    }
    CHECK(beside.take(form.beside) == first);
    auto const ring = beside.release();
    CHECK(staged == coll::detail::most_in_long_rings);
    carrier->memory()->deallocate(ring.data, ring.bytes);
}
