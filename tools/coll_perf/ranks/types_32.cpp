// SPDX-License-Identifier: BSD-3-Clause
#include "typed.hpp"
#include "types.hpp"

#include <cstdint>

namespace coll_perf {

typed_calls int32_calls() { return calls_of<std::int32_t>("int32"); }
typed_calls uint32_calls() { return calls_of<std::uint32_t>("uint32"); }

}  // namespace coll_perf
