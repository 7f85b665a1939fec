// SPDX-License-Identifier: BSD-3-Clause
#include "typed.hpp"
#include "types.hpp"

#include <cstdint>

namespace coll_perf {

typed_calls int64_calls() { return calls_of<std::int64_t>("int64"); }
typed_calls uint64_calls() { return calls_of<std::uint64_t>("uint64"); }

}  // namespace coll_perf
