// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/launch/environment.hpp>
#include <collectives/launch/job_name.hpp>
#include <collectives/launch/join.hpp>
#include <collectives/launch/joiners.hpp>
#include <collectives/launch/local_job.hpp>
#include <collectives/transport/model.hpp>

#include <cstdlib>

namespace collectives::inline v0::shm {

COLLECTIVES_INLINE collectives::communicator join(timeout time) {
    auto const me = place_from_environment();
    auto const until = time.deadline(steady::now());
    return collectives::communicator(
        erase(detail::take_part(me, collectives::detail::local_job_name(), until)));
}

}  // namespace collectives::shm

namespace collectives::inline v0 {

namespace detail {

/// Those whose headers the program includes, the quickest first.
COLLECTIVES_INLINE lean_vector<joiner>& joiners() {
    static lean_vector<joiner> all{{"shm", 0, reach_of_one_machine, shm::join}};
    return all;
}

COLLECTIVES_INLINE bool add_joiner(joiner const& one) {
    insert_joiner(joiners(), one);
    return true;
}

}  // namespace detail

COLLECTIVES_INLINE communicator join(timeout time) {
    auto const* const name = std::getenv("COLLECTIVES_TRANSPORT");
    auto const place = place_from_environment();
    return detail::chosen_joiner(detail::joiners(), place, name == nullptr ? "" : name).join(time);
}

}  // namespace collectives
