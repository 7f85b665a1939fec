// SPDX-License-Identifier: BSD-3-Clause
// The largest vector that tools speak of.
#pragma once

#include <cstdint>

/// In bytes: with it no count of the tools overflows.
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 40;
