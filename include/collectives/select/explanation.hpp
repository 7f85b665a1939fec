// SPDX-License-Identifier: BSD-3-Clause
// The choice of `automatic`, explained.
#pragma once

#include <collectives/schedule/any_algorithm.hpp>

#include <string>
#include <vector>

namespace collectives::inline v0 {

/// What `explain` returns: the choice, the reason, and the predicted time of each algorithm.
struct explanation {
    struct prediction {
        any_algorithm algorithm;
        double seconds = 0;
    };
    any_algorithm algorithm;
    std::string why;
    std::vector<prediction> predictions;  // quickest first
};

}  // namespace collectives
