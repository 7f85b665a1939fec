// SPDX-License-Identifier: BSD-3-Clause
// Counts the bytes of a call over slow links, and writes its steps, which Perfetto and
// chrome://tracing draw.
#include <collectives/collectives.hpp>
#include <collectives/schedule/trace.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace coll = collectives;

namespace {

constexpr std::size_t size = 4;
std::array<std::vector<coll::trace_event>, size> traced;  // of each rank; ranks are threads here

void run(coll::communicator& comm) {
    auto slow = comm.with(coll::throttled{.bytes_per_second = 100e6});
    coll::traced trace;
    coll::counted counts;  // added last: it does not count what adding the others sends
    auto seen = slow.with(trace).with(counts);

    std::vector<float> data(100'000, 1);
    seen.all_reduce(data, coll::sum{}, {.algorithm = coll::ring{}});

    // A ring sends 2 (P - 1) / P of the vector from each rank. No algorithm sends less.
    if (counts.sent() != data.size() * sizeof(float) * 2 * (size - 1) / size) {
        throw std::runtime_error("not what a ring sends");
    }
    auto const events = trace.events();
    traced[static_cast<std::size_t>(comm.rank())].assign(events.begin(), events.end());
    if (comm.rank() == 0) { std::printf("each rank sent %zu bytes\n", counts.sent()); }
}

}  // namespace

int main(int argc, char** argv) {
    coll::threads::run(size, run);
    std::vector<coll::trace_event> all;
    for (auto const& events : traced) { all.insert(all.end(), events.begin(), events.end()); }
    std::printf("%zu steps traced\n", all.size());
    if (argc > 1) {  // the name of a file
        std::ofstream file(argv[1]);
        coll::write_chrome_trace(file, all);
    }
    return all.empty() ? 1 : 0;
}
