// SPDX-License-Identifier: BSD-3-Clause
#include "typed.hpp"
#include "types.hpp"

#include <cstdint>

namespace coll_perf {

typed_calls int16_calls() { return calls_of<std::int16_t>("int16"); }
typed_calls uint16_calls() { return calls_of<std::uint16_t>("uint16"); }

}  // namespace coll_perf
