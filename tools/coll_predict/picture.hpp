// SPDX-License-Identifier: BSD-3-Clause
// Predictions as curves over sizes, with the points at which another algorithm becomes the
// quickest.
#pragma once

#include "table.hpp"

#include <string>

namespace coll_predict {

/// As SVG. Throws std::runtime_error where there is no size above 0.
std::string as_picture(question const& q);

}  // namespace coll_predict
