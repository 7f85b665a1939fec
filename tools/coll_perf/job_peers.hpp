// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a launcher's job measure by others: its own MPI, in these processes; and Gloo,
// NCCL and ours on devices, each by a driver in one process more per rank.
#pragma once

#include "job_meeting.hpp"
#include "options.hpp"
#include "ranks/ranks.hpp"

#include <string>
#include <vector>

namespace coll_perf {

/// Why the ranks of this launcher cannot measure the peers that are asked for, or ours on devices;
/// empty where they can. An unknown name is a usage_error.
std::string why_no_peers(options const& o);

/// The name of ours on devices, on all ranks, which says how they share them. Collective.
std::string name_on_devices(coll::communicator& comm, options const& o);

class job_peers {
public:
    explicit job_peers(options const& o);

    std::vector<std::string> const& names() const { return names_; }
    /// Measures a peer's cases, or ours on devices, as `name` says; `tell` is rank 0's. Collective
    /// over the ranks of the job.
    void measure(std::string const& name, job_rank const& me, job_meeting& meeting,
                 settings const& how, std::vector<measured_case> const& cases,
                 tell_function const& tell) const;

private:
    void measure_by_driver(std::string const& driver, job_rank const& me,
                           job_meeting const& meeting, settings const& how,
                           std::vector<measured_case> const& cases,
                           tell_function const& tell) const;

    std::vector<std::string> names_;
    std::string folder_;
    double seconds_per_case_;
};

}  // namespace coll_perf
