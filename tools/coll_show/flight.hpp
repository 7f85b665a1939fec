// SPDX-License-Identifier: BSD-3-Clause
// The flight reports of a job (COLLECTIVES_REPORT): what each rank called of late, and where it
// stood when a communicator failed or a signal asked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace coll_show {

/// Where a rank waits.
struct flight_wait {
    std::string call;
    std::uint64_t number = 0;
    int round = -1;  ///< -1: of no round
    int peer = -1;   ///< -1: for no rank in particular
    bool is_pair() const { return call == "send" || call == "recv"; }
};

struct flight_call {
    std::string what;  ///< "all_reduce, 200 x float, sum, ring"
    bool done = false;
};

struct flight_rank {
    std::string path;  ///< of its file; empty: it has none, and the rest is what the others knew
    std::string host;
    std::int64_t pid = 0, written = 0;  ///< milliseconds of the clock
    std::string failure;                ///< "timeout: time ran out; ...", or empty
    std::uint64_t entered = 0, finished = 0;
    std::optional<flight_wait> waits;
    std::int64_t waited = -1;  ///< milliseconds; -1: nobody knows
    std::map<std::uint64_t, flight_call> calls;
};

/// The ranks of one communicator.
struct flight {
    std::string communicator;
    std::vector<flight_rank> ranks;
};

/// Reads flight-*.json of a directory. Of two files of one rank the later counts.
/// std::runtime_error where there is none, or one is no flight report.
std::vector<flight> read_flights(std::string const& directory);

/// The failure, the last calls, where each rank stood, and who held up whom.
std::string as_text(flight const& of);

}  // namespace coll_show
