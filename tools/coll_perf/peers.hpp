// SPDX-License-Identifier: BSD-3-Clause
// Other libraries, measured by small drivers of their own (bench/peers) in the same way.
#pragma once

#include "campaign.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace coll_perf {

inline constexpr std::array<std::string_view, 3> peer_names{"mpich", "openmpi", "gloo"};

/// Where the drivers lie if nothing else is said: beside this program in the build folder.
std::string default_peer_folder();

/// The command that starts a peer's driver, with the settings that suit it best.
std::vector<std::string> peer_command(std::string_view peer, std::string const& driver, int ranks,
                                      bool core_per_rank, bool pin, bool is_root);

/// The peer as a program; a usage_error for an unknown name. `missing` says why one cannot be
/// asked: its driver was not built.
program find_peer(std::string const& name, std::string const& folder, double seconds_per_case,
                  std::string& missing);

}  // namespace coll_perf
