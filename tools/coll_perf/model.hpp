// SPDX-License-Identifier: BSD-3-Clause
// The values that ranks put in, and a serial model of what must come out. All values are small
// integers, so that sums and products are exact in every type and in every order.
#pragma once

#include "shape.hpp"

#include <collectives/core/op.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace coll_perf {

template <class Op>
inline constexpr bool is_logical =
    std::same_as<Op, coll::logical_and> || std::same_as<Op, coll::logical_or>;
template <class Op>
inline constexpr bool is_bitwise =
    std::same_as<Op, coll::bit_and> || std::same_as<Op, coll::bit_or> ||
    std::same_as<Op, coll::bit_xor>;

/// A small number as a T.
template <class T>
constexpr T number_as(std::uint32_t n) {
    if constexpr (coll::narrow_float<T> || coll::complex_number<T>) {
        return T(static_cast<float>(n));
    } else {
        return static_cast<T>(n);
    }
}

/// Floats of 8 bits hold few whole numbers: there, only one in eight of the first 64 ranks adds to
/// the sum or product at a place, which so is exact for any number of ranks.
template <class T>
bool stands_by(int rank, std::size_t i) {
    return coll::narrow_float<T> && sizeof(T) == 1 &&
           (rank >= 64 || (static_cast<std::size_t>(rank) + i) % 8 != 0);
}

/// What rank `rank` puts in at place `i`.
template <class T, class Op>
T value(int rank, std::size_t i) {
    auto h =
        static_cast<std::uint32_t>(i) * 2654435761U + static_cast<std::uint32_t>(rank) * 40503U;
    h ^= h >> 15;
    h *= 0x2c1b3c6dU;
    h ^= h >> 13;
    if constexpr (is_bitwise<Op>) { return static_cast<T>(h); }
    if constexpr (is_logical<Op>) { return number_as<T>(h % 3 == 0 ? 0 : 1); }
    if constexpr (std::same_as<Op, coll::product>) {
        return number_as<T>(h % 4 == 0 && !stands_by<T>(rank, i) ? 2 : 1);
    }
    if constexpr (coll::narrow_float<T> && sizeof(T) == 1 && !std::same_as<Op, coll::min> &&
                  !std::same_as<Op, coll::max>) {
        return number_as<T>(stands_by<T>(rank, i) ? 0 : 1);
    }
    return number_as<T>(1 + h % 3);
}

/// The reduction of what the first `ranks` ranks put in at place `i`, one after the other.
template <class T, class Op>
[[gnu::noinline]] T reduction(Op const& op, int ranks, std::size_t i) {
    auto const own = [&](int r) {
        if constexpr (coll::detail::prepares<Op, T>) {
            return op.prepare(value<T, Op>(r, i));
        } else {
            return value<T, Op>(r, i);
        }
    };
    T total = own(0);
    for (int r = 1; r < ranks; ++r) { total = op(total, own(r)); }
    if constexpr (coll::detail::finishes<Op, T>) { return op.finish(total, ranks); }
    return total;
}

/// What place `i` of this rank's output must hold.
template <class T, class Op>
T expected(Op const& op, coll::collective what, int rank, int ranks, int root, std::size_t count,
           std::size_t i) {
    using enum coll::collective;
    auto const block = count / static_cast<std::size_t>(ranks);  // where blocks are cut, all equal
    auto const mine = static_cast<std::size_t>(rank) * block;
    if (coll::reduces(what)) {
        bool const cut = what == reduce_scatter;
        return reduction<T>(op, cut ? ranks : coll::reduced_ranks(what, ranks, rank),
                            cut ? mine + i : i);
    }
    bool const joined = what == all_gather || what == gather || what == all_to_all;
    bool const of_mine = what == scatter || what == all_to_all;
    return value<T, Op>(joined ? static_cast<int>(i / block) : root,
                        (joined ? i % block : i) + (of_mine ? mine : 0));
}

/// The model of one type and operator, without its types.
struct model {
    void (*fill)(void* memory, std::size_t count, int rank);
    /// Places of the output that hold something else.
    std::size_t (*count_wrong)(void const* out, std::size_t out_count, coll::collective what,
                               int rank, int ranks, int root, std::size_t count);
};

/// The factor of `premultiplied_sum`, the only operator with a state.
template <class Op>
Op make_op() {
    if constexpr (requires(Op op) { op.factor; }) {
        return Op{2};
    } else {
        return Op{};
    }
}

template <class T, class Op>
model model_of() {
    return {[](void* memory, std::size_t count, int rank) {
                auto* const values = static_cast<T*>(memory);
                for (std::size_t i = 0; i < count; ++i) { values[i] = value<T, Op>(rank, i); }
            },
            [](void const* out, std::size_t out_count, coll::collective what, int rank, int ranks,
               int root, std::size_t count) {
                auto const* const values = static_cast<T const*>(out);
                auto const op = make_op<Op>();
                std::size_t wrong = 0;
                for (std::size_t i = 0; i < out_count; ++i) {
                    auto const want = expected<T>(op, what, rank, ranks, root, count, i);
                    if (!(values[i] == want)) { ++wrong; }
                }
                return wrong;
            }};
}

}  // namespace coll_perf
