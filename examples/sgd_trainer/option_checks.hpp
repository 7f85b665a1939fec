// SPDX-License-Identifier: BSD-3-Clause
// Which options of `train` go together.
#pragma once

#include "settings.hpp"

#include <CLI/CLI.hpp>

namespace trainer {

/// Fills in what depends on other options. Throws std::runtime_error where two do not go together,
/// or where one has no effect beside the others.
void complete(CLI::App const& app, settings& s);

}  // namespace trainer
