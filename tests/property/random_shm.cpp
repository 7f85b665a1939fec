// SPDX-License-Identifier: BSD-3-Clause
// Random programs of collectives over processes.
#include <collectives/launch/shm.hpp>

#include <property/suites.hpp>

int main() {
    return random_programs::main_with("shm", [](int size, random_programs::rank_body const& rank) {
        collectives::shm::run(size, rank);
    });
}
