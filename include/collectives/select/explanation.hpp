// SPDX-License-Identifier: BSD-3-Clause
// Why `automatic` takes what it takes.
#pragma once

#include <collectives/schedule/any_algorithm.hpp>

#include <string>
#include <vector>

namespace collectives::inline v0 {

/// What `explain` says: the choice, why, and what each algorithm was predicted to take.
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
