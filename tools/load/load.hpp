// SPDX-License-Identifier: BSD-3-Clause
// The option --load: an algorithm in a header of the user's, compiled and added while a tool runs.
#pragma once

#include "headers.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace load {

/// Adds the option. While the command line is read, its headers are added: reading then also throws
/// what add_all throws.
inline void option(CLI::App& app) {
    forget_inherited();
    app.add_option_function<std::vector<std::string>>(
           "--load", add_all,
           "an algorithm of your own: a header that defines one, in a class named as the file or "
           "of this type; may be given several times (docs/extending.md)")
        ->option_text("FILE[:TYPE]")
        ->allow_extra_args(false);
}

/// The files that the command line, now read, named with it.
inline std::vector<std::string> files(CLI::App const& app) {
    std::vector<std::string> result;
    for (auto const& text : app.get_option("--load")->results()) {
        result.push_back(file_in(text));
    }
    return result;
}

}  // namespace load
