// SPDX-License-Identifier: BSD-3-Clause
// What numbers on a command line are held against.
#pragma once

#include "most_bytes.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace numbers {

/// A number from `least` to `most`. CLI::Range lets "nan" through, as it is neither below nor
/// above.
inline CLI::Validator from(double least, double most) {
    return CLI::Validator(
        [=](std::string& text) {
            double value = 0;
            auto const fits =
                CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
            return fits ? std::string()
                        : fmt::format("\"{}\" is not from {:g} to {:g}", text, least, most);
        },
        "");
}

/// A price, in seconds.
inline CLI::Validator price() { return from(0, 1e6); }

/// A factor, a speed: above 0.
inline CLI::Validator above_zero() { return from(1e-30, 1e30); }

/// A size such as 4096, 64kb or 1mb becomes the number of its bytes.
inline CLI::Validator size(std::int64_t least = 0) {
    return CLI::Validator(
        [=](std::string& text) {
            auto const fault = CLI::AsSizeValue(false)(text);
            return fault.empty() ? CLI::Range(least, most_bytes)(text) : fault;
        },
        "");
}

/// Each value of the option is a size.
inline CLI::Option* sizes(CLI::Option* option, std::int64_t least = 0) {
    return option->transform(size(least));
}

}  // namespace numbers
