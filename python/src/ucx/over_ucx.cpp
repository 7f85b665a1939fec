// SPDX-License-Identifier: BSD-3-Clause
#include "../job.hpp"

#include <collectives/launch/hosts.hpp>
#include <collectives/ucx.hpp>

namespace python {

std::optional<coll::detail::joiner> joiner_over_hosts() {
    return coll::detail::joiner{"ucx", 1,
                                [](coll::job_place const&) { return coll::detail::reach::all; },
                                [](coll::timeout time) {
                                    auto flat = coll::ucx::join(time);
                                    return coll::bridge_hosts(flat, time);
                                }};
}

}  // namespace python
