// SPDX-License-Identifier: BSD-3-Clause
// What the command line of collrun says.
#pragma once

#include "binding.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace collrun {

struct options {
    int ranks = 1;
    std::string transport;  // empty: the program's own choice
    bool prefix = true;
    bool quiet = false;
    binding::unit bound_to = binding::unit::none;
    bool report_bindings = false;
    std::chrono::milliseconds grace{5000};
    std::vector<std::string> command;
};

/// None where the program is to end at once, with `status`: after --help, or a mistake.
std::optional<options> parse(int argc, char** argv, int& status);

}  // namespace collrun
