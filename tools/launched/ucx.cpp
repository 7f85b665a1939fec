// SPDX-License-Identifier: BSD-3-Clause
#include "launched.hpp"

#include <collectives/ucx.hpp>

namespace launched {

bool has_ucx() { return true; }

void over_ucx(rank_body const& body, bool bridged) {
    auto comm = collectives::ucx::join();
    if (!bridged) { return body(comm); }
    auto hosts = collectives::bridge_hosts(comm);
    body(hosts);
}

}  // namespace launched
