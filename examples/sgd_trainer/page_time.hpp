// SPDX-License-Identifier: BSD-3-Clause
// Pictures of where time went.
#pragma once

#include "report.hpp"

#include <string>

namespace trainer {

std::string draw_time_of_ranks(history const& all);
std::string draw_some_steps(history const& all);

}  // namespace trainer
