// SPDX-License-Identifier: BSD-3-Clause
// The option --load: an algorithm in a header of the user's, compiled and added while a tool runs.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace load {

/// Adds the option. While the command line is read, each FILE[:TYPE] is compiled, unless the cache
/// holds it, and its algorithm is added: from then on parse_algorithm knows its name. Reading then
/// also throws usage_error, for a mistake in the command line or a name that is taken, and
/// std::runtime_error where there is no compiler or it refuses the file; that has told why.
void option(CLI::App& app);

/// The files that the command line, now read, named with it.
std::vector<std::string> files(CLI::App const& app);

}  // namespace load
