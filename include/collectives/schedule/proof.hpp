// SPDX-License-Identifier: BSD-3-Clause
// The verdict of the checker.
#pragma once

#include <collectives/schedule/step.hpp>

#include <string_view>

namespace collectives::inline v0 {

/// The verdict of `check`. If it is not `ok`, `what` says why, and rank, round and chunk say where
/// (-1: nowhere in particular); the properties are then false.
struct proof {
    bool ok = false;
    std::string_view what = "not checked";  ///< static text; "correct" if ok
    rank_t rank = -1;
    int round = -1;
    int chunk = -1;
    bool order_preserving = false;      ///< brackets are over consecutive ranks, lower ones left
    bool position_independent = false;  ///< the same bracket for every chunk
    bool left_fold = false;             ///< every result is one n-ary sum of all, in rank order

    constexpr explicit operator bool() const { return ok; }
    friend constexpr bool operator==(proof const&, proof const&) = default;
};

}  // namespace collectives
