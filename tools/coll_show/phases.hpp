// SPDX-License-Identifier: BSD-3-Clause
// The phase that each round belongs to, by the name that books give it.
#pragma once

#include "report.hpp"

#include <string_view>
#include <vector>

namespace coll_show {

/// A name for each round of an all_reduce or reduce, such as reduce-scatter and then all-gather, by
/// where the sums are complete when the first copy begins. Empty where that is neither one rank for
/// all chunks nor one for each, and for rounds that add and copy. As phases() of
/// explorer/page/model.js.
std::vector<std::string_view> phases_of(report const& shown);

}  // namespace coll_show
