// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/space/host.hpp>

namespace collectives::inline v0::host::detail {

COLLECTIVES_INTEGER_KERNELS(, std::int64_t, std::uint64_t)

}  // namespace collectives::host::detail
