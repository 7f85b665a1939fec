// SPDX-License-Identifier: BSD-3-Clause
// Sizes as people write them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace coll_perf {

/// `4096`, `64K`, `1M`, `2G`, `64KiB`: the suffixes count in 1024. Anything else is a usage_error.
std::size_t parse_bytes(std::string_view text);

/// From `least` to `most`, times `factor`, or where `step` is not 0 that many bytes on. A
/// usage_error where sizes are too large or too many to be measured.
std::vector<std::size_t> size_range(std::size_t least, std::size_t most, double factor,
                                    std::size_t step);

/// The parts of a text between commas; none of them empty.
std::vector<std::string> split_list(std::string_view text);

/// Calls between two looks at the clock: 64 up to 1 KiB, fewer above, 1 from 64 KiB on.
int batch_for(std::size_t bytes);

}  // namespace coll_perf
