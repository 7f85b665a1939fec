// SPDX-License-Identifier: BSD-3-Clause
// Random programs of collectives over UCX: two tests, over transports of its, have half each.
#include <collectives/ucx.hpp>

#include <property/suites.hpp>
#include <ucx/world.hpp>

int main() {
    return random_programs::main_with(
        "ucx", [](int size, random_programs::rank_body const& rank) { ucx_world::run(size, rank); },
        1000);
}
