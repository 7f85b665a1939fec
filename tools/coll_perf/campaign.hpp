// SPDX-License-Identifier: BSD-3-Clause
// Runs all launches of all programs in turn and collects what they measured.
#pragma once

#include "launch.hpp"
#include "measurement.hpp"

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

struct campaign {
    settings how;
    int launches = 1;
    double seconds_per_case = 60;
    std::vector<program> programs;  ///< ours first, then its peers
    /// Called once all is known of one size. The measurements live as long as the campaign.
    std::function<void(std::vector<measurement const*> const&)> on_size = [](auto const&) {};
    std::function<void(std::string const&)> on_progress = [](auto const&) {};
    std::function<void(std::string const&)> on_trouble = [](auto const&) {};

    std::deque<measurement> all;
    bool failed = false;  ///< whether ours failed or did not finish

    /// With peers or several launches, each size gets launches of its own in which the programs
    /// take turns, so that what changes on the machine meanwhile meets all of them.
    void run(case_group const& group);

private:
    void run_launch_of(program const& p, int launch, std::vector<measured_case> const& cases,
                       std::function<void()> const& after_each);
    void note_missing(program const& p, int launch, std::vector<measured_case> const& cases,
                      std::vector<bool> const& seen, std::string const& why);

    std::map<std::string, std::string> given_up_;  // why a peer is not asked any more
};

}  // namespace coll_perf
