// SPDX-License-Identifier: BSD-3-Clause
// How the survivors of a loss exchange what a new transport needs.
#pragma once

#include <collectives/core/bootstrap.hpp>
#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/wire/board.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace collectives::inline v0::wire {

/// Survivors of a broken board exchange bytes by it. Models `bootstrap`.
struct survivor_bootstrap {
    board_state& broken;
    lean_vector<rank_t> const& survivors;
    rank_t me;
    function_ref<bool(rank_t)> turn;  // takes in messages; false if the survivor is lost

    int rank() const { return static_cast<int>(survivors.index_of(me)); }
    int size() const { return static_cast<int>(survivors.size()); }
    /// Empty for those that are lost.
    std::vector<bootstrap_bytes> all_gather(std::span<std::byte const> mine, steady::time_point) {
        auto& mailbox = broken.after_failure();
        std::vector<bootstrap_bytes> all;
        for (auto const r : survivors) {
            if (r != me) { mailbox.give(broken.rank_of(r), mine); }
        }
        for (auto const r : survivors) {
            auto const* its = mailbox.given_by(broken.rank_of(r));
            while (r != me && its == nullptr && turn(r)) {
                its = mailbox.given_by(broken.rank_of(r));
            }
            if (r == me) {
                all.emplace_back(mine.begin(), mine.end());
            } else {
                all.push_back(its == nullptr ? bootstrap_bytes() : *its);
            }
        }
        return all;
    }
};

}  // namespace collectives::wire
