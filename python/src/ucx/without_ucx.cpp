// SPDX-License-Identifier: BSD-3-Clause
#include "../job.hpp"

namespace python {

std::optional<coll::detail::joiner> joiner_over_hosts() { return {}; }

}  // namespace python
