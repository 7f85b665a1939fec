// SPDX-License-Identifier: BSD-3-Clause
// The communicator of each transport, in the order of `transports`.
#pragma once

#include <collectives/collectives.hpp>

#include <cstddef>
#include <tuple>

namespace coll_perf {

namespace coll = collectives;

using communicators = std::tuple<coll::threads::communicator, coll::shm::communicator>;

template <std::size_t Transport>
using communicator_at = std::tuple_element_t<Transport, communicators>;

}  // namespace coll_perf
