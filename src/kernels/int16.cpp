// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/space/host.hpp>

namespace collectives::inline v0::host::detail {

COLLECTIVES_INTEGER_KERNELS(, std::int16_t, std::uint16_t)

}  // namespace collectives::host::detail
