// SPDX-License-Identifier: BSD-3-Clause
// Which bucket a tensor went to.
#pragma once

#include <cstdint>

namespace collectives::inline v0::detail {

class bucket_run;

/// How to recognise the bucket that a tensor went to, and when it is done.
struct fusion_ticket {
    bucket_run* in = nullptr;
    std::uint64_t times_done = 0;
};

}  // namespace collectives::detail
