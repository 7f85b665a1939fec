// SPDX-License-Identifier: BSD-3-Clause
// An option whose values are words.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <string>

namespace trainer {

template <class T>
CLI::Option* choice(CLI::App& app, std::string const& name, T& to, std::string const& help,
                    std::map<std::string, T> const& of) {
    return app
        .add_option_function<std::string>(
            name, [&to, of](std::string const& word) { to = of.at(word); }, help)
        ->check(CLI::IsMember(of));
}

}  // namespace trainer
