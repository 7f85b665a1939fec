// SPDX-License-Identifier: BSD-3-Clause
// Measurements in the JSON of nccl-tests (its `-J`, version 2 of that file), for what reads it.
#pragma once

#include "measurement.hpp"
#include "options.hpp"

#include <string>
#include <vector>

namespace coll_perf {

/// When the program ran; `local_time()` at its start and end.
struct run_time {
    std::string start, end;
};
std::string local_time();  ///< now, as nccl-tests writes it: 2030-01-31 23:59:59

/// A row for each size of each program, with both forms. What only devices have is null.
/// docs/coll_perf.md says what each key means here.
std::string as_nccl_json(std::vector<measurement> const& all, options const& o,
                         run_time const& when);

/// Writes a new file: where `path` is there, `path`.0, `path`.1, ... Returns its path. Throws
/// std::runtime_error where none can be written.
std::string write_new_file(std::string const& path, std::string const& text);

}  // namespace coll_perf
