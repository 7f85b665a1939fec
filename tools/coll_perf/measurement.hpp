// SPDX-License-Identifier: BSD-3-Clause
// One row of the CSV: what one launch of one program found out about one case.
#pragma once

#include "job.hpp"
#include "statistics.hpp"

#include <array>
#include <string>
#include <vector>

namespace coll_perf {

struct measurement {
    std::string transport;  ///< or the name of the peer
    bool peer = false;
    measured_case what;
    settings how;
    int launch = 0;
    summary time;  ///< of the slowest rank, nanoseconds per call
    std::size_t dropped = 0;
    std::size_t wrong = 0;
    int pinned = 0;
    double copy = 0, copy_past_cache = 0, round_trip = 0,
           loop = 0;  ///< medians, nanoseconds; 0: not measured
    /// Of the ranks' own means: rank 0's, their mean, the least and the most; nanoseconds.
    std::array<double, 4> over_ranks{};
    double overlap = -1;         ///< percent of a started call that the work hid; -1: not measured
    double whole = 0, work = 0;  ///< of such a call: start to end, and the work in it; nanoseconds
    traffic moved;
    std::string note;  ///< why there are no figures
    double load = 0;
    std::string date;

    bool measured() const { return time.samples > 0; }
    double algbw() const;  ///< GB/s, of the median
    double busbw() const;
    /// What the case is held against, in nanoseconds: a round trip for small messages, else the
    /// quicker copy. 0 where there were no controls.
    double limit() const;
    /// The least time, in nanoseconds, that the case's bytes take on the links. 0 where their rate
    /// was not measured.
    double bound() const;
};

/// What a launch found, with the time and the load of now.
measurement make_measurement(std::string transport, bool peer, measured_case const& what,
                             settings const& how, int launch, case_result result);
/// One without figures.
measurement make_missing(std::string transport, bool peer, measured_case const& what,
                         settings const& how, int launch, std::string note);

/// Several launches of one case: medians of their medians.
struct across_launches {
    double median = 0;  ///< nanoseconds
    double spread = 0;  ///< the slowest launch's median over the quickest's
    double limit = 0;
    double bound = 0;
    traffic moved;
    std::size_t wrong = 0, dropped = 0, launches = 0;
    summary time;  ///< each figure the median over launches
    double copy = 0, copy_past_cache = 0, round_trip = 0, loop = 0;
    std::array<double, 4> over_ranks{};
    double overlap = -1, whole = 0, work = 0;
    std::string note;

    double algbw(std::size_t bytes) const;
    /// As -a of nccl-tests says; -1: the median of the slowest rank's samples. Nanoseconds.
    double time_by(int average) const {
        return average < 0 ? median : over_ranks[static_cast<std::size_t>(average)];
    }
};
across_launches combine(std::vector<measurement const*> const& launches);

/// Over all measurements: wrong elements, samples that were dropped, whether all were checked; and
/// the mean of busbw of ours, GB/s.
struct totals {
    std::size_t wrong = 0, dropped = 0;
    bool checked = true;
    double busbw = 0;
};
totals totals_of(std::vector<measurement> const& all);

}  // namespace coll_perf
