// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/communicator/message_path.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/launch/environment.hpp>
#include <collectives/launch/meet.hpp>
#include <collectives/transport/ucx/transport.hpp>
#include <collectives/ucx.hpp>

#include <vector>

namespace collectives::inline v0::ucx {

namespace detail {

/// Models `bootstrap`.
struct over_function {
    int its_rank, its_size;
    exchange gather;

    int rank() const { return its_rank; }
    int size() const { return its_size; }
    std::vector<bootstrap_bytes> all_gather(std::span<std::byte const> mine,
                                            steady::time_point until) {
        return gather(mine, until);
    }
};

COLLECTIVES_INLINE collectives::communicator connect(int rank, int size, exchange all_gather,
                                                     steady::time_point until) {
    over_function met{rank, size, all_gather};
    return collectives::detail::communicator_over(make_shared_object<ucx::transport>(met, until));
}

}  // namespace detail

COLLECTIVES_INLINE collectives::communicator join(timeout time) {
    auto const until = time.deadline(steady::now());
    auto met = meet(place_from_environment(), until);
    auto const gather = [&](std::span<std::byte const> mine, steady::time_point end) {
        return met.all_gather(mine, end);
    };
    return detail::connect(met.rank(), met.size(), gather, until);
}

}  // namespace collectives::ucx
