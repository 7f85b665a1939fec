// SPDX-License-Identifier: BSD-3-Clause
// Random programs of collectives over threads.
#include <collectives/launch/threads.hpp>

#include <property/suites.hpp>

int main() {
    return random_programs::main_with("threads",
                                      [](int size, random_programs::rank_body const& rank) {
                                          collectives::threads::run(size, rank);
                                      });
}
