// SPDX-License-Identifier: BSD-3-Clause
// Tensors that are others in each step: what a bucket keeps of the step before must not show.
#pragma once

#include <fusion/tensors.hpp>

namespace fusion_tests {

/// Buckets that grow while tensors are packed into them, shrink, begin with an empty tensor, or
/// have another type; and back.
inline void changing_steps(world const& over) {
    using step = std::vector<std::pair<int, std::size_t>>;  // type and elements of each tensor
    std::vector<step> const steps{{{0, 10}, {0, 10}, {0, 10}},
                                  {{0, 10}, {0, 10}, {0, 10}},
                                  {{0, 10}, {0, 700}, {0, 10}, {0, 60}},
                                  {{0, 0}, {0, 5}, {0, 0}},
                                  {{1, 0}, {1, 30}, {1, 200}},
                                  {{2, 300}, {0, 11}, {1, 12}, {2, 1}, {0, 400}},
                                  {{0, 0}},
                                  {{0, 10}, {0, 10}, {0, 10}}};
    for (int const size : conformance::sizes({1, 2, 3})) {
        over.run(size, [&](coll::communicator& comm) {
            for (auto const threshold : thresholds) {
                for (bool const thread : {false, true}) {
                    coll::fusion_buffer fusion(comm,
                                               {.threshold = threshold, .progress_thread = thread});
                    for (int turn = 0; turn < 3; ++turn) {
                        for (auto const& s : steps) {
                            std::vector<any_tensor> tensors;
                            for (auto const& [type, n] : s) { tensors.emplace_back(type, n); }
                            std::uint64_t salt = 0;
                            for (auto& t : tensors) {
                                t.fill(comm.rank(), ++salt);
                                t.visit([&](auto& v) { (void)fusion.add(v); });
                            }
                            fusion.flush();
                            salt = 0;
                            for (auto& t : tensors) { t.require_sum(comm.size(), ++salt); }
                        }
                    }
                }
            }
        });
    }
}

}  // namespace fusion_tests
