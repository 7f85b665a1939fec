// SPDX-License-Identifier: BSD-3-Clause
// expect: static assertion failed
// An algorithm whose halves do not join on owners cannot give a reduce_scatter.
#include <collectives/schedule/check.hpp>

#include <string_view>

namespace coll = collectives;

struct shifted {
    static constexpr std::string_view name = "shifted";
    static constexpr int chunks(int size) { return size; }
    // Chunk i is complete on rank i + 1, and no owner() says so.
    static constexpr void reduce_scatter(coll::rank_t me, int size, coll::step_sink auto&& emit) {
        for (int r = 0; r < size; ++r) {
            if (r == me) { continue; }
            emit(coll::step{0, coll::verb::send, r, {(r + size - 1) % size}});
            emit(coll::step{0, coll::verb::recv_reduce, r, {(me + size - 1) % size}});
        }
    }
    static constexpr void all_gather(coll::rank_t me, int size, coll::step_sink auto&& emit) {
        for (int r = 0; r < size; ++r) {
            if (r == me) { continue; }
            emit(coll::step{0, coll::verb::send, r, {(me + size - 1) % size}});
            emit(coll::step{0, coll::verb::recv_copy, r, {(r + size - 1) % size}});
        }
    }
};
static_assert(coll::check(shifted{}, 3, coll::collective::reduce_scatter).ok);
