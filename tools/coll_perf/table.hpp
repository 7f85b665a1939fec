// SPDX-License-Identifier: BSD-3-Clause
// Measurements as tables for people: that of nccl-tests, and that of the OSU benchmarks.
#pragma once

#include "measurement.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace coll_perf {

enum class table_format { nccl, osu };

struct table_style {
    table_format format = table_format::nccl;
    std::vector<std::string> peers;  ///< with columns of their own
    bool limit = false;              ///< columns of the controls
    bool bound = false;              ///< columns of what is sent, and of the links
    bool loop = false;               ///< columns of the bare loop
    bool spread = false;             ///< a column of the spread between launches
    int average = -1;  ///< as -a of nccl-tests: rank 0's mean, or that of all, the least, the most;
                       ///< -1: the median of the slowest rank's samples
    bool stamps = false;  ///< a column with the time
};

/// All that is known of one size, out of place and in place.
struct table_row {
    measured_case what;  ///< of the out-of-place form
    std::string transport;
    settings how;
    std::map<std::string, std::vector<measurement const*>> out_of_place, in_place;  ///< by program
};

/// What stands above the rows of one transport, collective and algorithm.
std::string table_heading(table_row const& first, table_style const& style);
std::string table_line(table_row const& row, table_style const& style);

/// Out of bounds, average, and what was thrown away.
/// The OSU benchmarks state the size of a rank's block where vectors are cut into blocks, but for
/// reduce_scatter.
inline bool states_block(coll::collective what) {
    return cuts_blocks(what) && what != coll::collective::reduce_scatter;
}
/// The size as they state it.
std::size_t osu_size(measured_case const& c, int ranks);

std::string table_footer(std::vector<measurement> const& all, int repeated);

}  // namespace coll_perf
