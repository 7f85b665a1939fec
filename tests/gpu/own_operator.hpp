// SPDX-License-Identifier: BSD-3-Clause
// A type and an operator of a user's, for the host and for devices.
#pragma once

#include <cstdint>

namespace gpu {

struct pair {
    std::int32_t key, value, more;
    friend constexpr bool operator==(pair const&, pair const&) = default;
};

/// Does not commute: of equal keys the left one stays.
struct weaker {
    constexpr pair operator()(pair const& a, pair const& b) const { return b.key < a.key ? b : a; }
};

}  // namespace gpu
