// SPDX-License-Identifier: BSD-3-Clause
#include "typed.hpp"
#include "types.hpp"

#include <cstdint>

namespace coll_perf {

typed_calls int8_calls() { return calls_of<std::int8_t>("int8"); }
typed_calls uint8_calls() { return calls_of<std::uint8_t>("uint8"); }

}  // namespace coll_perf
