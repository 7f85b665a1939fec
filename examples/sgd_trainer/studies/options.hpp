// SPDX-License-Identifier: BSD-3-Clause
// The command line of studies.
#pragma once

#include "studies.hpp"

#include <CLI/CLI.hpp>

namespace trainer::studies {

inline void add_options(CLI::App& app, request& what) {
    auto known = names();
    known.insert(known.begin(), "all");
    app.add_option("name", what.name, "which study, or all of them")
        ->required()
        ->check(CLI::IsMember(known));
    app.add_option(
           "--output", what.output,
           "folder for NAME.md, tables (CSV) and plots (SVG); where NAME.md is there with a "
           "line <!-- study -->, what stands from there to <!-- end of study --> is replaced")
        ->capture_default_str();
    app.add_flag("--quick", what.quick, "a small size, in seconds");
    app.add_option("--data", what.data, "as of train; by default fashion, with --quick digits");
    app.add_option("--data-path", what.data_path, "the file or folder of the data");
}

}  // namespace trainer::studies
