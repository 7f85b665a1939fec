// SPDX-License-Identifier: BSD-3-Clause
// Adds algorithms in headers of the user's. load.hpp makes an option of this.
#pragma once

#include <string>
#include <vector>

namespace load {

/// From then on there is only what this tool loads.
void forget_inherited();

/// Compiles each FILE[:TYPE], unless the cache holds it, and adds its algorithm: from then on
/// parse_algorithm knows its name. Throws usage_error for a mistake in the text or a name that is
/// taken, and std::runtime_error where there is no compiler or it refuses the file; that has told
/// why.
void add_all(std::vector<std::string> const& headers);

/// FILE of FILE[:TYPE].
std::string file_in(std::string const& text);

}  // namespace load
