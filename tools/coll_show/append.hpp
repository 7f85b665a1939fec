// SPDX-License-Identifier: BSD-3-Clause
// Formats onto the end of a string.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

namespace coll_show {

template <class... Args>
void append(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

}  // namespace coll_show
