// SPDX-License-Identifier: BSD-3-Clause
// The table of many lectures, "amount of communication per node; frequency", beside what is
// counted.
#pragma once

#include <string>

namespace coll_show {

enum class table_format { text, markdown, csv };

/// For 2 ranks or more: each row of the lectures' table for an all-reduce, what its formula gives
/// where n is one rank's vector and where n is that of all ranks together, and which counted amount
/// that is.
std::string lecture_table(int ranks, table_format format);

}  // namespace coll_show
