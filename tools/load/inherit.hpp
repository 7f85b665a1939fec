// SPDX-License-Identifier: BSD-3-Clause
// Adds the algorithms in shared objects that --load has compiled: in the tool itself, and in the
// programs that it starts to measure with, which find the list in their environment.
#pragma once

#include <collectives/algorithm/all.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>

namespace load {

/// The name of the function that each of these shared objects has. It hands over the algorithm; the
/// program that loads it keeps the list of those that were added.
inline constexpr char const* entry = "collectives_loaded";

/// The variable with the paths of all that were loaded, a line each.
inline constexpr char const* variable = "COLLECTIVES_LOADED";

/// Throws std::runtime_error where the file cannot be loaded, and usage_error where another
/// algorithm has the name.
inline void add_shared_object(std::string const& path) {
    auto* const object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    auto* const found = object == nullptr ? nullptr : ::dlsym(object, entry);
    if (found == nullptr) { throw std::runtime_error(::dlerror()); }
    collectives::any_algorithm its;
    reinterpret_cast<void (*)(collectives::any_algorithm*)>(found)(&its);
    collectives::add_algorithm(its);
}

/// Adds what the tool that started this program has loaded. Call it before there is a communicator.
inline void inherit() {
    auto const* const list = std::getenv(variable);
    std::istringstream paths(list == nullptr ? "" : list);
    for (std::string path; std::getline(paths, path);) { add_shared_object(path); }
}

}  // namespace load
