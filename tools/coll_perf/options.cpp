// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "../numbers.hpp"
#include "sizes.hpp"

#include <collectives/core/error.hpp>

#include <charconv>

namespace coll_perf {

void declare(CLI::App& app, options& o) {
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
    option("-f,--stepfactor", o.factor, "each size is so many times the one before [4]", "F");
    option("-i,--stepbytes", o.step, "instead: each size is so many bytes more", "SIZE");
    option("-n,--iters", o.how.iterations, "samples of each measurement [20]", "N")
        ->check(CLI::Range(1, 1000000));
    option("-w,--warmup_iters", o.how.warmup, "iterations before the first sample [5]", "N")
        ->check(CLI::Range(1, 1000000));
    option("-c,--check", o.check, "compare the results with a serial model; 0: do not [1]", "0|1")
        ->check(CLI::Range(0, 1));
    auto* const batch =
        option("--batch", o.batch, "calls per sample; by default up to 64, 1 from 64K on", "N")
            ->check(CLI::Range(1, 1000000));
    option("--budget", o.how.budget,
           "seconds the samples of a measurement may take; then -n is the most, and 5 the least",
           "S")
        ->check(numbers::price());
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
    option("--tests", o.how.tests, "looks at a started call while its rank computes [0]", "N")
        ->check(CLI::Range(0, 1000000));
    option(
        "--progress", o.progress,
        "own or background: started calls move in the rank's calls alone, or by themselves [own]",
        "HOW")
        ->check(CLI::IsMember({"own", "background"}));
    option("--tensors", o.how.tensors, "vectors that fusion adds before a flush [64]", "N")
        ->check(CLI::Range(1, 1000000));
    option("--threshold", o.threshold, "bytes that fusion puts into one bucket [64M]", "SIZE");
    option("--pin", o.pin, "cores or none: each rank on a core of its own, if enough [cores]",
           "HOW")
        ->check(CLI::IsMember({"cores", "none"}));
    app.add_flag("--percent-of-limit", o.how.controls,
                 "beside each sample copies of as many bytes and a cache line's round trip");
    option(
        "--meet", o.meet,
        "memory or messages: how ranks that a launcher started meet before a sample, on one host "
        "[memory]",
        "HOW")
        ->check(CLI::IsMember({"memory", "messages"}));
    option("--format", o.format, "nccl or osu: whose table to print [nccl]", "FORMAT")
        ->check(CLI::IsMember({"nccl", "osu"}));
    option("--json", o.json, "write all measurements into this file", "FILE");
    option("--csv", o.csv, "write all measurements into this file, one a row", "FILE");
    option("--peer", o.peers, "mpich,openmpi,gloo: measure these in turn with ours", "NAMES");
    option("--peers-in", o.peer_folder, "folder of the peers' drivers", "FOLDER");
    option("--time-limit", o.seconds_per_case, "seconds a measurement may take at all [60]", "S")
        ->check(numbers::from(1e-3, 1e6));
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

settings settings_of(options const& o) {
    auto how = o.how;
    how.check = o.check != 0;
    how.pin = o.pin == "cores";
    how.background = o.progress == "background";
    how.threshold = parse_bytes(o.threshold);
    return how;
}

request request_of(options const& o) {
    request r;
    r.collectives = split_list(o.collectives);
    r.algorithms = split_list(o.algorithms);
    r.types = split_list(o.types);
    r.operators = split_list(o.operators);
    r.sizes = size_range(parse_bytes(o.least), parse_bytes(o.most), o.factor, parse_bytes(o.step));
    r.root = o.root;
    r.tensors = o.how.tensors;
    r.batch = o.how.touch ? 1 : o.batch;  // between two calls in a batch there is no time
    if (o.form != "both") { r.forms = {o.form == "in"}; }
    return r;
}

}  // namespace coll_perf
