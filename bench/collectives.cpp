// SPDX-License-Identifier: BSD-3-Clause
// A Google Benchmark of each collective, for those whose tools read its reports. It takes that
// library's flags, and the ranks from COLLECTIVES_BENCH_RANKS (2) processes.
//
// Every rank runs all benchmarks, and all must do the same number of iterations: it is fixed, never
// found by a rank for itself. What is reported is the slowest rank's time, by rank 0 alone.
#include "../tools/collrun/binding.hpp"

#include <collectives/collectives.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coll = collectives;

namespace {

using communicator = coll::shm::communicator;

class null_reporter : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(Context const&) override { return true; }
    void ReportRuns(std::vector<Run> const&) override {}
};

/// Vectors of one rank; a block is what one rank has of the whole.
struct vectors {
    std::vector<float> whole, other, block;
    vectors(communicator const& comm, std::size_t bytes) {
        auto const ranks = static_cast<std::size_t>(comm.size());
        auto const blocks = (bytes / sizeof(float) + ranks - 1) / ranks;
        whole.assign(blocks * ranks, 1);
        other = whole;
        block.assign(blocks, 1);
    }
};

using call = void (*)(communicator&, vectors&);

struct named_call {
    char const* name;
    call make;
};

constexpr named_call calls[]{
    {"all_reduce",
     [](communicator& c, vectors& v) { c.all_reduce(v.whole, v.other, coll::max{}); }},
    {"reduce_scatter",
     [](communicator& c, vectors& v) { c.reduce_scatter(v.whole, v.block, coll::max{}); }},
    {"all_gather", [](communicator& c, vectors& v) { c.all_gather(v.block, v.whole); }},
    {"broadcast", [](communicator& c, vectors& v) { c.broadcast(v.whole); }},
    {"reduce", [](communicator& c, vectors& v) { c.reduce(v.whole, v.other, coll::max{}); }},
    {"gather", [](communicator& c, vectors& v) { c.gather(v.block, v.whole); }},
    {"scatter", [](communicator& c, vectors& v) { c.scatter(v.whole, v.block); }},
    {"all_to_all", [](communicator& c, vectors& v) { c.all_to_all(v.whole, v.other); }},
};

void measure(benchmark::State& state, communicator& comm, call make) {
    vectors memory(comm, static_cast<std::size_t>(state.range(0)));
    // Small calls are timed several at once, so that the clock and the agreement on a time do not
    // count for more than the call.
    auto const batch = state.range(0) <= 4096 ? 64 : 1;
    std::vector<double> seconds;
    for (int i = 0; i < 3; ++i) { make(comm, memory); }
    for (auto unused : state) {
        static_cast<void>(unused);
        comm.barrier();
        auto const start = std::chrono::steady_clock::now();
        for (int k = 0; k < batch; ++k) { make(comm, memory); }
        std::chrono::duration<double> const own = std::chrono::steady_clock::now() - start;
        double slowest = own.count() / batch;
        comm.all_reduce(std::span(&slowest, 1), coll::max{});
        state.SetIterationTime(slowest);
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}

void measure_barrier(benchmark::State& state, communicator& comm) {
    for (auto unused : state) {
        static_cast<void>(unused);
        auto const start = std::chrono::steady_clock::now();
        for (int k = 0; k < 64; ++k) { comm.barrier(); }
        std::chrono::duration<double> const own = std::chrono::steady_clock::now() - start;
        double slowest = own.count() / 64;
        comm.all_reduce(std::span(&slowest, 1), coll::max{});
        state.SetIterationTime(slowest);
    }
}

void declare(communicator& comm) {
    auto const ranks = "/ranks:" + std::to_string(comm.size());
    for (auto const& c : calls) {
        for (auto const bytes : {4, 4 << 10, 64 << 10, 1 << 20, 16 << 20}) {
            auto const iterations = bytes <= 64 << 10 ? 200 : 20;
            benchmark::RegisterBenchmark(
                (c.name + ranks).c_str(),
                [&comm, make = c.make](benchmark::State& s) { measure(s, comm, make); })
                ->Arg(bytes)
                ->ArgName("bytes")
                ->Iterations(iterations)
                ->UseManualTime();
        }
    }
    benchmark::RegisterBenchmark(("barrier" + ranks).c_str(),
                                 [&comm](benchmark::State& s) { measure_barrier(s, comm); })
        ->Iterations(200)
        ->UseManualTime();
}

/// Rank 0 has all flags; the others must not write into the same file.
std::vector<char*> flags_of(int rank, int argc, char** argv) {
    std::vector<char*> flags;
    for (int i = 0; i < argc; ++i) {
        bool const writes = std::string_view(argv[i]).starts_with("--benchmark_out");
        if (rank == 0 || !writes) { flags.push_back(argv[i]); }
    }
    return flags;
}

}  // namespace

int main(int argc, char** argv) {
    auto const* const given = std::getenv("COLLECTIVES_BENCH_RANKS");
    auto const ranks = given == nullptr ? 2 : std::atoi(given);
    try {
        auto const places = binding::cores_if_enough(ranks);
        coll::shm::run(ranks, [&](communicator& comm) {
            auto const rank = static_cast<std::size_t>(comm.rank());
            if (!places.empty() && !binding::bind_to(places[rank])) {
                throw std::runtime_error("a rank cannot be bound to " + places[rank].name);
            }
            auto flags = flags_of(comm.rank(), argc, argv);
            auto count = static_cast<int>(flags.size());
            benchmark::Initialize(&count, flags.data());
            if (benchmark::ReportUnrecognizedArguments(count, flags.data())) {
                throw coll::usage_error("no such flag");
            }
            declare(comm);
            null_reporter nobody;
            if (comm.rank() == 0) {
                benchmark::RunSpecifiedBenchmarks();
            } else {
                benchmark::RunSpecifiedBenchmarks(&nobody);
            }
        });
    } catch (coll::error const& e) {
        std::fprintf(stderr, "collectives: %s\n", e.what());
        return 1;
    }
}
