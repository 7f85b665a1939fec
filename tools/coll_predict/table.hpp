// SPDX-License-Identifier: BSD-3-Clause
// Predictions of all algorithms over sizes: which is the quickest, and from where on.
#pragma once

#include "prices.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace coll_predict {

struct question {
    int size = 0;
    std::vector<std::int64_t> bytes;
    std::vector<coll::any_algorithm> algorithms;
    prices at;
};

/// From `bytes` on `algorithm` is the quickest, up to the next.
struct crossing {
    std::int64_t bytes = 0;
    coll::any_algorithm algorithm;
    double seconds = 0;  // of `bytes`
};

coll::any_algorithm best(question const& q, std::int64_t bytes);

/// From the smallest to the largest of the question's sizes, exact to the byte, but where times are
/// simulated to 2 %: between powers of two by bisection.
std::vector<crossing> crossings(question const& q);

std::string as_table(question const& q);
std::string as_text(std::vector<crossing> const& list);
/// The columns that coll_plot draws.
std::string as_csv(question const& q);

}  // namespace coll_predict
