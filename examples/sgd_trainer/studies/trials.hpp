// SPDX-License-Identifier: BSD-3-Clause
// Trials of hyper-parameters, shared out over the ranks of a communicator.
#pragma once

#include "../job.hpp"

#include <collectives/communicator.hpp>

#include <functional>
#include <vector>

namespace trainer::studies {

/// One choice of learning rate and batch, and how far it has been trained.
struct trial {
    double rate = 0;
    int batch = 0;
    int epochs = 0;  ///< done
    double accuracy = 0;
    int ranks = 0;  ///< that trained the last of them
    state now{};
};

/// So many epochs have been trained; of the trials that are left, one of `keep` stays.
struct rung {
    int epochs = 0;
    int keep = 1;  ///< one of so many
};

struct search {
    settings how;  ///< what all trials have in common
    std::vector<rung> rungs;
    int dies_in_rung = -1;  ///< in which `how.victim.rank` is killed in the middle of a trial
};

/// What was done in a rung, on the ranks there were.
struct rung_seen {
    int epochs = 0, trials = 0, groups = 0, ranks = 0;
};

/// Collective. For each rung the trials that are left are dealt to groups of ranks, made by
/// `split`: the fewer trials, the more ranks has each. Then all ranks learn what each group found,
/// and the best trials stay. Ranks may be lost on the way, rank 0 too: then the others deal the
/// trials anew that had not ended. `trials` is the same on all ranks, and in the end the best is
/// its first. Every rank calls `tell` after it has trained its share. Gives the rank's number at
/// the end.
int find_best(collectives::communicator& comm, search const& what, data_set const& data,
              std::vector<trial>& trials, std::function<void(rung_seen const&)> const& tell);

/// All pairs of these; each with the parameters that its seed gives.
std::vector<trial> grid(settings const& how, data_set const& data, std::vector<double> const& rates,
                        std::vector<int> const& batches);

}  // namespace trainer::studies
