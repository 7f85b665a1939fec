// SPDX-License-Identifier: BSD-3-Clause
// The command line of the comparison.
#pragma once

#include "../choice.hpp"
#include "compare.hpp"

#include <CLI/CLI.hpp>

namespace trainer {

inline void add_comparison(CLI::App& app, comparison& c) {
    app.add_option("--ranks", c.ranks, "how many ranks train")
        ->check(CLI::Range(2, 16))
        ->capture_default_str();
    app.add_option("--epochs", c.epochs, "how often all images are seen")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--rate", c.rate, "bytes per second of a slow link")
        ->check(CLI::Range(1e3, 1e12))
        ->capture_default_str();
    choice<transport>(app, "--transport", c.where, "shm (processes, the default) or threads",
                      {{"shm", transport::processes}, {"threads", transport::threads}});
    app.add_option("--data", c.data, "a file of digits [digits.csv, which comes with the trainer]");
    app.add_option("--output", c.output, "folder for the pictures")->capture_default_str();
}

}  // namespace trainer
