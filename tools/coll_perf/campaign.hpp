// SPDX-License-Identifier: BSD-3-Clause
// Runs all launches of all programs in turn and collects what they measured.
#pragma once

#include "launch.hpp"
#include "measurement.hpp"
#include "traces.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace coll_perf {

/// Ours over one transport, or a peer.
struct program {
    std::string name;
    bool peer = false;
    /// Runs in a child process, writes results to the descriptor, gives the exit status.
    std::function<int(int descriptor, meeting_place const& place, settings const& how,
                      std::vector<measured_case> const& cases)>
        start;
};

/// The cases of one collective, algorithm, type and operator: of each size both forms, in order.
using case_group = std::vector<measured_case>;

/// The cases of a group that a launch measures: all, or those of one size where programs
/// `take_turns`.
std::vector<case_group> launches_of(case_group const& group, bool take_turns);

struct campaign {
    settings how;
    int launches = 1;
    double seconds_per_case = 60;
    std::vector<program> programs;  ///< ours first, then its peers
    /// Called once all is known of one size. The measurements live as long as the campaign.
    std::function<void(std::vector<measurement const*> const&)> on_size = [](auto const&) {};
    std::function<void(std::string const&)> on_progress = [](auto const&) {};
    std::function<void(std::string const&)> on_trouble = [](auto const&) {};

    /// Where this process is a rank already: carries a program's cases out and hands each line to
    /// `take`. Empty: each launch is a process of its own.
    std::function<void(program const& of, std::vector<measured_case> const& cases,
                       std::function<bool(std::string const&)> const& take)>
        in_place;

    /// Called with each traced call of ours and the median of those that were measured beside it.
    std::function<void(traced_call, program const&, measured_case const&, double)> on_trace =
        [](auto&&...) {};

    std::deque<measurement> all;
    bool failed = false;  ///< whether ours failed, did not finish or was not measured
    int repeated = 0;     ///< turns of launches that were thrown away, see below

    /// With peers or several launches, each size gets launches of its own in which the programs
    /// take turns, so that what changes on the machine meanwhile meets all of them. A turn whose
    /// launches met the cores of ranks 0 and 1 at different distances (a virtual machine's may be
    /// moved at any time) does not say which program is quicker: it is repeated, 2 `launches` times
    /// at most for a size, and no more once that was in vain for two sizes.
    void run(case_group const& group);

private:
    /// Of the measurements from the `first` on, by their round trips.
    bool met_different_distances(std::size_t first) const;
    launch_end launch_of(program const& p, std::vector<measured_case> const& cases,
                         std::function<bool(std::string const&)> const& take) const;
    void run_launch_of(program const& p, int launch, std::vector<measured_case> const& cases,
                       std::function<void()> const& after_each);
    void note_missing(program const& p, int launch, std::vector<measured_case> const& cases,
                      std::vector<bool> const& seen, std::string const& why);

    int repeats_in_vain_ = 0;                      // sizes
    std::map<std::string, std::string> given_up_;  // why a peer is not asked any more
};

}  // namespace coll_perf
