// SPDX-License-Identifier: BSD-3-Clause
// Options that nothing measured would look at.
#pragma once

#include "options.hpp"

namespace coll_perf {

/// Throws a CLI::ValidationError that names such an option, where one was given.
void require_effects(CLI::App const& app, options const& o);

}  // namespace coll_perf
