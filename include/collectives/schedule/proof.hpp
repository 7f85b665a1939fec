// SPDX-License-Identifier: BSD-3-Clause
// The verdict of the checker.
#pragma once

#include <collectives/schedule/step.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

/// The verdict of `check`. If it is not `ok`, `what` says why, and rank, round and chunk say where
/// (-1: nowhere in particular); the properties are then false.
struct proof {
    bool ok = false;                        ///< whether it is proved
    std::string_view what = "not checked";  ///< static text; "correct" if ok
    rank_t rank = -1;                       ///< the rank where it is wrong
    int round = -1;                         ///< the round where it is wrong
    int chunk = -1;                         ///< the chunk where it is wrong
    bool order_preserving = false;      ///< brackets are over consecutive ranks, lower ones left
    bool position_independent = false;  ///< the same bracket for every chunk
    bool left_fold = false;             ///< every result is one n-ary sum, in rank order

    constexpr explicit operator bool() const { return ok; }  ///< whether it is ok
    friend constexpr bool operator==(proof const&, proof const&) = default;
};

namespace detail {

/// How an algorithm brackets its sums. rotating: the sum of each chunk begins at another rank;
/// consecutive: every partial sum is over consecutive ranks; left_fold: one n-ary sum of all ranks
/// in order.
enum class sum_order : std::uint8_t { rotating, consecutive, left_fold };

/// The library's own algorithms state the order of their sums in `sums(type, what, size)`. A test
/// holds it against the checker. A user's algorithm states none, also if it is derived from one of
/// the library's: the checker proves it before its first call.
template <class A>
concept states_its_sums = requires(A const a) {
    { a.sums(std::type_identity<A>{}, collective{}, int{}) } -> std::same_as<sum_order>;
};

/// The verdict of `check` on an algorithm that states its sums.
[[gnu::cold, gnu::noinline]] constexpr proof stated_proof(sum_order sums, collective what,
                                                          int size) {
    // Of two contributions at most, all orders are the same.
    bool const one_sum = reduced_ranks(what, size, size - 1) <= 2 || !reduces(what);
    proof result{true, "correct"};
    result.order_preserving = one_sum || sums != sum_order::rotating;
    result.position_independent = result.order_preserving;  // rotating sums differ by chunk
    result.left_fold = one_sum || sums == sum_order::left_fold;
    return result;
}

}  // namespace detail

}  // namespace collectives
