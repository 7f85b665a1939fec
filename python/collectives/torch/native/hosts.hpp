// SPDX-License-Identifier: BSD-3-Clause
// Ranks on several hosts. over_ucx.cpp or without_ucx.cpp defines these.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/core/bootstrap.hpp>
#include <collectives/core/function_ref.hpp>
#include <collectives/core/timeout.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace collectives_torch {

namespace coll = collectives;

/// Whether this backend was built with UCX.
bool has_ucx();

/// An all_gather among the ranks of a group, as `concept bootstrap` has it.
using exchange = coll::function_ref<std::vector<coll::bootstrap_bytes>(std::span<std::byte const>,
                                                                       coll::steady::time_point)>;

/// The communicator of these ranks: through memory inside a host, over UCX between hosts.
/// Collective. Throws transport_error where `has_ucx()` is false, and what coll::bridge_hosts
/// throws.
coll::communicator connect_hosts(int rank, int size, exchange all_gather,
                                 coll::steady::time_point until);

}  // namespace collectives_torch
