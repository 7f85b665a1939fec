// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include "../processor.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace coll_wire {
namespace {

std::string segment_of(question const& q) {
    if (q.segment == coll::chosen_segment) { return "chosen"; }
    return q.segment == 0 ? "one" : fmt::format("{}", q.segment);
}

}  // namespace

std::string table_heading() {
    return fmt::format(
        "{:>5} {:>5}  {:<14} {:>9} {:>8} {:>10} {:>10} {:>9} {:>9} {:>14} {:>7} {:>9}\n", "hosts",
        "ranks", "algorithm", "bytes", "segment", "time ms", "predicted", "measured/", "bound/",
        "bytes of the", "/count", "payload/");
}

std::string table_line(answer const& a) {
    return fmt::format(
        "{:>5} {:>5}  {:<14} {:>9} {:>8} {:>10.2f} {:>10.2f} {:>9.3f} {:>9.3f} {:>14.0f} "
        "{:>7.4f} {:>9.4f}\n",
        a.over.hosts, a.over.ranks(), coll::name(a.of.algorithm), a.of.bytes, segment_of(a.of),
        a.seconds * 1e3, a.predicted * 1e3, a.seconds / a.predicted, a.bound / a.seconds, a.wired,
        a.wired / a.counted, a.payload / a.counted_payload);
}

std::string as_csv(std::vector<answer> const& answers) {
    auto const now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    auto const cpu = tools::processor_name();
    std::string out =
        "transport,collective,algorithm,type,op,ranks,hosts,bytes,in_place,memory,segment,samples,"
        "median_us,predicted_us,bound_us,round_us,message_us,link_bytes,counted_bytes,"
        "link_payload,counted_payload,bits_per_second,cpu,cores,date\n";
    for (auto const& a : answers) {
        out += fmt::format(
            "{},all_reduce,{},float,sum,{},{},{},0,private,{},{},{:.1f},{:.1f},{:.1f},{:.1f},{:.1f}"
            ","
            "{:.0f},{:.0f},{:.0f},{:.0f},{:.0f},{},{},{:%Y-%m-%dT%H:%M:%SZ}\n",
            a.transport == carrier::mpi ? "mpi" : "ucx", coll::name(a.of.algorithm), a.over.ranks(),
            a.over.hosts, a.of.bytes, segment_of(a.of), a.samples, a.seconds * 1e6,
            a.predicted * 1e6, a.bound * 1e6, a.round * 1e6, a.message * 1e6, a.wired, a.counted,
            a.payload, a.counted_payload, a.over.bits_per_second, cpu,
            std::thread::hardware_concurrency(), fmt::gmtime(now));
    }
    return out;
}

}  // namespace coll_wire
