// SPDX-License-Identifier: BSD-3-Clause
// The rows of files as curves: a time for each size.
#pragma once

#include "csv_table.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coll_plot {

/// What a curve is about. `seen` is what was measured of ours that comes before it: marks alone.
enum class kind { ours, peer, limit, seen };

struct series {
    std::string name;
    kind what = kind::ours;
    std::map<double, double> seconds;  ///< by bytes; medians over launches
};

/// Which rows are wanted: `column` must be `value`.
using condition = std::pair<std::string, std::string>;

/// Those that meet all conditions and have figures.
std::vector<csv_row> select(std::vector<csv_row> const& rows,
                            std::vector<condition> const& conditions);

/// One curve for ours over each transport and kind of memory, and each algorithm if there are
/// several; one for each peer; and the limits: a cache line's round trip for small vectors, and a
/// copy by every rank at once for larger ones (the quicker of two kinds). Of forms out of place and
/// in place the first that is there.
/// What coll_wire wrote brings its own bound as a limit. The numbers in `over`, bytes or ranks, are
/// the keys.
std::vector<series> curves_of(std::vector<csv_row> const& rows, std::string_view over = "bytes");

inline constexpr auto round_trip_name = "cache line's round trip";

/// Up to so many bytes a round trip is the limit, above a copy; as in coll_perf.
inline constexpr double small_message = 4096;

/// The limits come from the rows of ours alone. What ours is held against in a row, in
/// microseconds: a round trip up to 4 KiB, else the quicker copy; 0 if it was not measured.
double limit_of(csv_row const& row);

bool is_peer(csv_row const& row);

double median(std::vector<double> values);

/// `4 B`, `64 KiB`.
std::string human_bytes(double bytes);

}  // namespace coll_plot
