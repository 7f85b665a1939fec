// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a communicator among the ranks of the job.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/types.hpp>

#include <cstddef>
#include <utility>

namespace collectives::inline v0::detail {

class rank_group {
public:
    rank_group() = default;
    rank_group(lean_vector<rank_t>&& job_ranks, rank_t me)
        : ranks_(std::move(job_ranks)), me_(me) {}

    int size() const { return static_cast<int>(ranks_.size()); }
    rank_t rank() const { return me_; }
    rank_t job_rank(rank_t r) const { return ranks_[static_cast<std::size_t>(r)]; }
    lean_vector<rank_t> const& job_ranks() const { return ranks_; }

private:
    lean_vector<rank_t> ranks_;
    rank_t me_ = 0;
};

}  // namespace collectives::detail
