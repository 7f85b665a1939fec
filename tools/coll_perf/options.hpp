// SPDX-License-Identifier: BSD-3-Clause
// What the command line says.
#pragma once

#include "ranks/ours.hpp"
#include "table.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace coll_perf {

struct options {
    std::string transport;  ///< empty: shm, and under a launcher its own
    std::string ranks;      ///< empty: 2, and under a launcher all
    std::string collectives = "all_reduce";
    std::string algorithms = "automatic";
    std::string types = "float";
    std::string operators = "sum";
    std::string least = "8", most = "16M", step = "0";
    double factor = 4;
    int root = 0;
    int check = 1;
    int batch = 0;
    int launches = 1;
    std::string form = "both";
    std::string bind;  ///< empty: a core each, where there are enough
    bool report_bindings = false;
    bool start_ranks = false;  ///< by itself, also under a launcher
    std::string format = "nccl";
    std::string json, nccl_json, csv, page, trace;
    std::vector<std::string> command;  ///< the program and its arguments
    std::string osu_sizes;             ///< [MIN:]MAX, as the OSU benchmarks take them
    int cycles = 1;
    int average = -1;
    int stamps = 0;
    int registered = 0;
    std::string meet = "memory";
    std::string progress = "own";
    std::string threshold = "64M";
    std::string peers;
    std::string peer_folder;
    double seconds_per_case = 60;
    settings how;
};

/// With `osu` the short flags are those of the OSU benchmarks, else those of nccl-tests.
void declare(CLI::App& app, options& o, bool osu = false);
/// Whether a command line says --format osu.
bool says_osu(int argc, char** argv);
/// Whether one says --start-ranks.
bool says_start_ranks(int argc, char** argv);

/// `2` or `2,4,8`; else a usage_error.
std::vector<int> rank_numbers(std::string const& text);
/// Throws usage_error where a bare loop is asked for over a transport that has none.
void require_loop_over(options const& o, std::string_view transport);
/// How launches measure, but for the number of ranks and their places.
settings settings_of(options const& o);
struct size_bounds {
    std::size_t least = 0, most = 0;
    double factor = 2;
    std::size_t step = 0;  ///< 0: by the factor
};
/// Of `-b`, `-e`, `-f` and `-i`, or of `-m` of the OSU benchmarks.
size_bounds sizes_of(options const& o);
/// What is asked for, from names and sizes; a usage_error where that is nothing.
request request_of(options const& o);

}  // namespace coll_perf
