// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/space/host.hpp>

namespace collectives::inline v0::host::detail {

COLLECTIVES_BOOL_KERNELS(, bool)
COLLECTIVES_INTEGER_KERNELS(, std::int8_t, std::uint8_t)

}  // namespace collectives::host::detail
