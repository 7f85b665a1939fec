// SPDX-License-Identifier: BSD-3-Clause
// What a transport can do, as the concepts of transport/capabilities.hpp tell.
#pragma once

#include <collectives/transport/capabilities.hpp>

namespace conformance {

/// All of a transport's capabilities. A test states each one that is there; the others must not be.
struct capabilities {
    bool peer_memory = false;
    bool processors = false;
    bool hosts = false;
    bool stopped_ranks = false;
    bool memory_access = false;
    bool lent_memory = false;
    bool some_threads = false;
    bool words = false;
    bool kept_memory = false;
    bool registration = false;
    bool turns = false;
    bool memory_until_closed = false;
    bool first_board = false;
    bool boards_that_ask = false;
    bool cut_requests = false;
    bool renewal = false;
    bool reopening = false;
    bool agreeing_boards = false;

    friend constexpr bool operator==(capabilities const&, capabilities const&) = default;
};

template <collectives::transport T>
constexpr capabilities capabilities_of() {
    namespace coll = collectives;
    return {.peer_memory = coll::peer_addressable<T>,
            .processors = coll::counts_processors<T>,
            .hosts = coll::knows_hosts<T>,
            .stopped_ranks = coll::sees_stopped_ranks<T>,
            .memory_access = coll::sees_memory_access<T>,
            .lent_memory = coll::lends_memory<T>,
            .some_threads = coll::restricts_threads<T>,
            .words = coll::receives_control<T>,
            .kept_memory = coll::keeps_memory<T>,
            .registration = coll::memory_registering<T>,
            .turns = coll::uses_progress_lock<T>,
            .memory_until_closed = coll::frees_when_closed<T>,
            .first_board = coll::has_first_board<T>,
            .boards_that_ask = coll::asking_board<typename T::board>,
            .cut_requests = coll::cutting_request<typename T::request>,
            .renewal = coll::renewing<T>,
            .reopening = coll::reopening<T>,
            .agreeing_boards = coll::agreeing_board<typename T::board>};
}

/// What every transport over a link can do.
inline constexpr capabilities of_every_wire{.processors = true,
                                            .words = true,
                                            .kept_memory = true,
                                            .turns = true,
                                            .first_board = true,
                                            .boards_that_ask = true,
                                            .cut_requests = true,
                                            .reopening = true,
                                            .agreeing_boards = true};

}  // namespace conformance
