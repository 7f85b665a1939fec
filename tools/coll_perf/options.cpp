// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "../numbers.hpp"
#include "sizes.hpp"

#include <collectives/core/error.hpp>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace coll_perf {

bool says_osu(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        std::string_view const word(argv[i]);
        if (word == "--format=osu") { return true; }
        if (word == "--format" && i + 1 < argc && std::string_view(argv[i + 1]) == "osu") {
            return true;
        }
    }
    return false;
}

bool says_start_ranks(int argc, char** argv) {
    return std::find(argv + 1, argv + argc, std::string_view("--start-ranks")) != argv + argc;
}

namespace {

/// What only the OSU benchmarks have, and what they call otherwise.
void declare_osu(CLI::App& app, options& o) {
    app.add_option("-m,--message-size", o.osu_sizes,
                   "[MIN:]MAX: from 1 byte or MIN, each size twice the one before")
        ->option_text("SIZES")
        ->excludes("--minbytes")
        ->excludes("--maxbytes")
        ->excludes("--stepfactor")
        ->excludes("--stepbytes");
    auto const there = [] {};
    app.add_flag_callback("-f,--full", there, "minimum, maximum, iterations: always there");
    app.add_flag_callback("-c,--validation", there, "check the results: always, but for --check 0");
}

/// What only nccl-tests have.
void declare_nccl(CLI::App& app, options& o) {
    app.add_option(
           "-a,--average", o.average,
           "the time in the table: 0: rank 0's mean, 1: the mean of all ranks' means, 2: the "
           "least, 3: the most of them; else the median of the slowest rank's samples")
        ->option_text("0-3")
        ->check(CLI::Range(0, 3));
    app.add_option("-S,--report_timestamps", o.stamps, "1: a column with the time [0]")
        ->option_text("0|1")
        ->check(CLI::Range(0, 1));
    app.add_option("-R,--local_register", o.registered, "1 or 2: as --allocated [0]")
        ->option_text("0-2")
        ->check(CLI::Range(0, 2));
}

}  // namespace

void declare(CLI::App& app, options& o, bool osu) {
    auto const option = [&](char const* names, auto& value, char const* says, char const* unit) {
        return app.add_option(names, value, says)->option_text(unit);
    };
    option("--transport", o.transport,
           "threads, shm, mpi-mpich, mpi-openmpi, ucx, hosts, hosts-mpich, hosts-openmpi, cuda or "
           "cuda-threads; several with commas [shm; under a launcher mpi where that is an MPI's, "
           "else what join takes]",
           "NAMES");
    option("--ranks", o.ranks, "number of ranks, or several with commas [2; a launcher's: all]",
           "NUMBERS");
    option(
        "--collective", o.collectives,
        "all_reduce,broadcast,... or all; start_NAME, plan_NAME, NAME_v and start_all, plan_all, "
        "all_v; send_recv, send_latency, send_bandwidth, send_both_ways, fusion, split, "
        "split_half, shrink, creation [all_reduce]",
        "NAMES");
    option("--algorithm", o.algorithms, "ring,tree,... automatic, or all [automatic]", "NAMES");
    option("-d,--datatype", o.types, "float,int8,half,... or all [float]", "NAMES");
    option("-o,--op", o.operators, "sum,max,avg,... or all [sum]", "NAMES");
    option("-r,--root", o.root, "root of a rooted collective [0]", "RANK");
    option("-b,--minbytes", o.least, "smallest vector, in bytes, or with K, M, G [8]", "SIZE");
    option("-e,--maxbytes", o.most, "largest vector [16M]", "SIZE");
    option(osu ? "--stepfactor" : "-f,--stepfactor", o.factor,
           "each size is so many times the one before [4]", "F");
    option(osu ? "--stepbytes" : "-i,--stepbytes", o.step,
           "instead: each size is so many bytes more", "SIZE");
    option(osu ? "-i,--iterations,-n,--iters" : "-n,--iters", o.how.iterations,
           "samples of each measurement [20]", "N")
        ->check(CLI::Range(1, 1000000));
    option(osu ? "-x,--warmup,-w,--warmup_iters" : "-w,--warmup_iters", o.how.warmup,
           "iterations before the first sample [5]", "N")
        ->check(CLI::Range(1, 1000000));
    option(osu ? "--check" : "-c,--check", o.check,
           "compare the results with a serial model; 0: do not [1]", "0|1")
        ->check(CLI::Range(0, 1));
    auto* const batch = option(osu ? "--batch" : "-m,--agg_iters,--batch", o.batch,
                               "calls per sample; by default up to 64, 1 from 64K on", "N")
                            ->check(CLI::Range(1, 1000000));
    option("--budget", o.how.budget,
           "seconds the samples of a measurement may take; then -n is the most, and 5 the least",
           "S")
        ->check(numbers::price());
    option("-N,--run_cycles", o.cycles, "measure and print all of it so many times [1]", "N")
        ->check(CLI::Range(1, 1000000));
    option("--launches", o.launches, "separate launches of each measurement [1]", "K")
        ->check(CLI::Range(1, 1000));
    option("--form", o.form, "out, in or both: out of place, in place [both]", "FORM")
        ->check(CLI::IsMember({"out", "in", "both"}));
    auto* const cold =
        app.add_flag("--cold", o.how.cold, "other memory in each call, more than caches hold");
    app.add_flag("--touch", o.how.touch,
                 "between the calls write each input and read each result, as programs do; one "
                 "call per sample")
        ->excludes(cold)
        ->excludes(batch);
    option("--offset", o.how.offset,
           "vectors begin so many bytes after a page does, as those of the heap do by 16 [0]", "N")
        ->check(CLI::Range(0, 4095));
    app.add_flag("--allocated", o.how.allocated, "memory of communicator::allocate");
    option(osu ? "-t,--num-test-calls,--tests" : "--tests", o.how.tests,
           "looks at a started call while its rank computes [0]", "N")
        ->check(CLI::Range(0, 1000000));
    option(
        "--progress", o.progress,
        "own or background: started calls move in the rank's calls alone, or by themselves [own]",
        "HOW")
        ->check(CLI::IsMember({"own", "background"}));
    option("--tensors", o.how.tensors, "vectors that fusion adds before a flush [64]", "N")
        ->check(CLI::Range(1, 1000000));
    option("--threshold", o.threshold, "bytes that fusion puts into one bucket [64M]", "SIZE");
    option("--bind", o.bind,
           "core, numa or none: each rank on a core of its own, on the processors of a NUMA node, "
           "or anywhere [core where there are enough, else none]",
           "UNIT")
        ->check(CLI::IsMember({"core", "numa", "none"}));
    app.add_option_function<std::vector<std::string>>(
           "--pin",
           [](auto const&) {
               throw CLI::ValidationError(
                   "--pin is gone: --bind core, numa or none says where "
                   "ranks run");
           })
        ->expected(0, 1)
        ->group("");
    app.add_flag("--report-bindings", o.report_bindings, "say where each rank runs");
    app.add_flag("--start-ranks", o.start_ranks,
                 "start the ranks by itself, also where the variables of a launcher are set");
    app.add_flag("--percent-of-limit", o.how.controls,
                 "beside each sample copies of as many bytes and a cache line's round trip");
    app.add_flag("--percent-of-bound", o.how.bound,
                 "what the busiest rank sends, and the least time that this takes on its link");
    app.add_flag(
        "--percent-of-loop", o.how.loop,
        "over shm or an MPI, beside each sample a bare loop that moves the same messages by the "
        "kernel's copies or that MPI's calls");
    option(
        "--meet", o.meet,
        "memory or messages: how ranks that a launcher started meet before a sample, on one host "
        "[memory]",
        "HOW")
        ->check(CLI::IsMember({"memory", "messages"}));
    option("--format", o.format, "nccl or osu: whose table to print [nccl]", "FORMAT")
        ->check(CLI::IsMember({"nccl", "osu"}));
    option("-J,--output_file", o.nccl_json,
           "write a new file with the JSON of nccl-tests; where it is there, FILE.0, FILE.1, ...",
           "FILE");
    option("--json", o.json, "write all measurements into this file", "FILE");
    option("--csv", o.csv, "write all measurements into this file, one a row", "FILE");
    option("--report", o.page, "write tables and pictures into this HTML page", "FILE");
    option("--trace", o.trace,
           "write the steps of one more call of each measurement into this file, for Perfetto",
           "FILE");
    option("--peer,--peers", o.peers,
           "mpich,openmpi,gloo: measure these in turn with ours, or nccl on devices; under a "
           "launcher its own MPI and gloo",
           "NAMES");
    option("--peers-in", o.peer_folder, "folder of the peers' drivers", "FOLDER");
    option("-T,--timeout,--time-limit", o.seconds_per_case,
           "seconds a measurement may take at all [60]", "S")
        ->check(numbers::from(1e-3, 1e6));
    osu ? declare_osu(app, o) : declare_nccl(app, o);
    app.footer(
        "Figures are of the slowest rank. Ends with 0 if all results were right, 1 if one was "
        "wrong or\nmissing, 2 on a mistake in the command line, 77 without a device for cuda. "
        "docs/coll_perf.md explains it all.");
}

std::vector<int> rank_numbers(std::string const& text) {
    constexpr int most = 1024;
    std::vector<int> result;
    for (auto const& part : split_list(text)) {
        int n = 0;
        auto const [end, fault] = std::from_chars(part.data(), part.data() + part.size(), n);
        if (fault != std::errc{} || end != part.data() + part.size() || n < 1 || n > most) {
            throw collectives::usage_error("\"" + part + "\" is no number of ranks from 1 to " +
                                           std::to_string(most));
        }
        result.push_back(n);
    }
    return result;
}

void require_loop_over(options const& o, std::string_view transport) {
    if (!o.how.loop || transport == "shm" || transport.starts_with("mpi")) { return; }
    throw collectives::usage_error(
        "--percent-of-loop is for shm, mpi-mpich, mpi-openmpi and mpi, not " +
        std::string(transport));
}

settings settings_of(options const& o) {
    auto how = o.how;
    how.check = o.check != 0;
    how.allocated = how.allocated || o.registered > 0;
    how.trace = !o.trace.empty();
    how.background = o.progress == "background";
    how.threshold = parse_bytes(o.threshold);
    return how;
}

size_bounds sizes_of(options const& o) {
    if (o.osu_sizes.empty()) {
        return {parse_bytes(o.least), parse_bytes(o.most), o.factor, parse_bytes(o.step)};
    }
    auto const colon = o.osu_sizes.find(':');
    if (colon == o.osu_sizes.npos) { return {1, parse_bytes(o.osu_sizes)}; }
    return {parse_bytes(o.osu_sizes.substr(0, colon)), parse_bytes(o.osu_sizes.substr(colon + 1))};
}

request request_of(options const& o) {
    request r;
    r.collectives = split_list(o.collectives);
    r.algorithms = split_list(o.algorithms);
    r.types = split_list(o.types);
    r.operators = split_list(o.operators);
    auto const sizes = sizes_of(o);
    r.sizes = size_range(sizes.least, sizes.most, sizes.factor, sizes.step);
    r.osu_sizes = o.format == "osu";
    r.root = o.root;
    r.tensors = o.how.tensors;
    r.batch = o.how.touch ? 1 : o.batch;  // between two calls in a batch there is no time
    if (o.form != "both") { r.forms = {o.form == "in"}; }
    return r;
}

}  // namespace coll_perf
