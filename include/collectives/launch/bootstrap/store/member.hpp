// SPDX-License-Identifier: BSD-3-Clause
// The identity of a rank in its job.
#pragma once

#include <collectives/core/timeout.hpp>
#include <collectives/launch/bootstrap/store/secret.hpp>
#include <collectives/launch/bootstrap/store/frames.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

namespace collectives::inline v0::bootstraps {

/// One rank of a job. All ranks of it have the same size, job and secret.
struct member {
    int rank = 0;
    int size = 1;
    std::string job;
    bootstraps::secret secret;
};

/// The time that is left, in milliseconds, as ranks and store exchange it; or for ever.
inline std::uint32_t patience_until(steady::time_point until) {
    constexpr std::int64_t forever = std::numeric_limits<std::uint32_t>::max();
    if (until == steady::time_point::max()) { return forever; }
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(until - steady::now()).count();
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(left, 0, forever));
}
inline steady::time_point end_of(std::uint32_t patience) {
    return patience == std::numeric_limits<std::uint32_t>::max()
               ? steady::time_point::max()
               : steady::now() + std::chrono::milliseconds(patience);
}

inline constexpr std::string_view role_of_store = "store", role_of_rank = "rank";

}  // namespace collectives::bootstraps
