// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a job are given so that they can meet.
#pragma once

#include <collectives/core/descriptor.hpp>

#include <string>
#include <vector>

namespace collrun {

/// A socket that listens on this machine, for rank 0, and a secret in memory. Both are inherited by
/// descriptor: neither a command line nor a file ever holds the secret.
struct handover {
    /// Throws std::system_error for what the system refuses.
    handover();

    std::string address;  // of the door
    collectives::descriptor door;
    collectives::descriptor secret;
    std::string job;  // a name that no other job has
};

/// The environment of a rank, as `NAME=value`: this process's, without what another launcher said
/// of it.
std::vector<std::string> environment_of(int rank, int size, handover const& given,
                                        std::string const& transport);

}  // namespace collrun
