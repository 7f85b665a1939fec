// SPDX-License-Identifier: BSD-3-Clause
// What needs a launcher: our transports over MPI and UCX; and small drivers (bench/peers) that
// measure other libraries, and ours on devices, in the same way.
#pragma once

#include "campaign.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace coll_perf {

inline constexpr std::array<std::string_view, 4> peer_names{"mpich", "openmpi", "gloo", "nccl"};

/// Our transports whose ranks a launcher starts: an MPI's, or collrun; and those on devices.
inline constexpr std::array<std::string_view, 8> launched_transports{
    "mpi-mpich",   "mpi-openmpi",   "ucx",  "hosts",
    "hosts-mpich", "hosts-openmpi", "cuda", "cuda-threads"};
bool is_launched(std::string_view transport);
/// Of them, those on devices, whose driver starts its ranks itself.
bool is_on_devices(std::string_view transport);

/// Where the drivers lie if nothing else is said: beside this program in the build folder.
std::string default_peer_folder();

/// The command by which a launcher starts a driver, with the settings that suit it best.
std::vector<std::string> launch_command(std::string_view launcher, std::string const& driver,
                                        settings const& how, bool core_per_rank, bool is_root);

/// A usage_error that lists the peers, unless there is this one.
void require_peer_name(std::string const& name);
/// A usage_error for a peer on devices, unless so are all these transports: no two memories
/// compare.
void require_same_memory(std::string const& name, std::vector<std::string> const& transports);
/// The driver in the folder that measures a peer, or ours on devices.
std::string driver_of(std::string const& name, std::string const& folder);
/// That it is missing, and how to build it; empty where it is there.
std::string why_no_driver(std::string const& name, std::string const& folder);

/// The peer as a program; a usage_error for an unknown name. `missing` says why one cannot be
/// asked: its driver was not built.
program find_peer(std::string const& name, std::string const& folder, double seconds_per_case,
                  std::string& missing);
/// A machine without one.
struct no_device : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// How so many ranks share the devices, as the driver `ours_cuda` in the folder says; no_device
/// where there is none.
std::string sharing_of_devices(std::string const& transport, std::string const& folder, int ranks);
/// Likewise one of launched_transports: coll_perf itself, as a rank, or its twin for an MPI. On
/// devices it is a driver, and its name says how so many ranks share them; no_device where there is
/// none.
program find_launched(std::string const& transport, std::string const& folder, int ranks,
                      double seconds_per_case, std::string& missing);

/// The first word of a command line by which coll_perf starts itself as a rank; the transport and
/// an `order` follow.
inline constexpr char const* as_rank = "--as-rank";

}  // namespace coll_perf
