// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/space/host.hpp>

namespace collectives::inline v0::host::detail {

COLLECTIVES_FLOAT_KERNELS(, float8_e4m3)
COLLECTIVES_FLOAT_KERNELS(, float8_e5m2)

}  // namespace collectives::host::detail
