// SPDX-License-Identifier: BSD-3-Clause
// Pairwise exchange: in round r everybody sends straight to the rank r + 1 places on. P - 1 rounds
// of one chunk in each half, as in a ring, but no partial sum is passed on.
#pragma once

#include <collectives/schedule/step.hpp>

struct pairwise {
    static constexpr std::string_view name = "pairwise";
    static constexpr int chunks(int size) { return size; }

    static constexpr void reduce_scatter(int me, int size, auto&& emit) {
        for (int r = 0; r < size - 1; ++r) {
            auto const to = (me + r + 1) % size, from = (me + size - r - 1) % size;
            emit(collectives::step{r, collectives::verb::send, to, {to}});
            emit(collectives::step{r, collectives::verb::recv_reduce, from, {me}});
        }
    }
    static constexpr void all_gather(int me, int size, auto&& emit) {
        for (int r = 0; r < size - 1; ++r) {
            auto const to = (me + r + 1) % size, from = (me + size - r - 1) % size;
            emit(collectives::step{r, collectives::verb::send, to, {me}});
            emit(collectives::step{r, collectives::verb::recv_copy, from, {from}});
        }
    }
};
