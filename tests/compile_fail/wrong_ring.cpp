// SPDX-License-Identifier: BSD-3-Clause
// expect: static assertion failed
// A ring that passes on the wrong chunk does not pass its static_assert.
#include <collectives/schedule/check.hpp>

#include <string_view>

namespace coll = collectives;

struct wrong_ring {
    static constexpr std::string_view name = "wrong_ring";
    static constexpr int chunks(int size) { return size; }
    static constexpr void reduce_scatter(coll::rank_t me, int size, coll::step_sink auto&& emit) {
        auto const wrap = [size](int i) { return (i + 2 * size) % size; };
        for (int r = 0; r < size - 1; ++r) {
            emit(coll::step{r, coll::verb::send, wrap(me + 1), {wrap(me - r)}});  // r, not r + 1
            emit(coll::step{r, coll::verb::recv_reduce, wrap(me - 1), {wrap(me - r - 2)}});
        }
    }
    static constexpr void all_gather(coll::rank_t me, int size, coll::step_sink auto&& emit) {
        auto const wrap = [size](int i) { return (i + 2 * size) % size; };
        for (int r = 0; r < size - 1; ++r) {
            emit(coll::step{r, coll::verb::send, wrap(me + 1), {wrap(me - r)}});
            emit(coll::step{r, coll::verb::recv_copy, wrap(me - 1), {wrap(me - r - 1)}});
        }
    }
};
static_assert(coll::check(wrong_ring{}, 5).ok);
