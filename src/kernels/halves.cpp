// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/space/host.hpp>

namespace collectives::inline v0::host::detail {

COLLECTIVES_FLOAT_KERNELS(, float16)
COLLECTIVES_FLOAT_KERNELS(, bfloat16)

}  // namespace collectives::host::detail
