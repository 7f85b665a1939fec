// SPDX-License-Identifier: BSD-3-Clause
// Runs other programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace coll_wire {

/// At blanks.
std::vector<std::string> split(std::string const& text, char at = ' ');

/// What a program writes, errors too. `prepare` runs in the child before it. Throws
/// std::runtime_error with all of it unless the program ends with 0.
std::string output_of(
    std::vector<std::string> const& command, std::function<void()> const& prepare = [] {});

}  // namespace coll_wire
