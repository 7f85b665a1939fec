// SPDX-License-Identifier: BSD-3-Clause
// The choice of `automatic`, explained.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/schedule/any_algorithm.hpp>

#include <string>

namespace collectives::inline v0 {

/// What `explain` returns: the choice, the reason, and the predicted time of each algorithm.
struct explanation {
    /// What the model says of one algorithm.
    struct prediction {
        any_algorithm algorithm;  ///< which one
        double seconds = 0;       ///< the predicted time of the call
    };
    any_algorithm algorithm;              ///< what `automatic` takes
    std::string why;                      ///< the reason, for people
    lean_vector<prediction> predictions;  ///< quickest first
};

}  // namespace collectives
