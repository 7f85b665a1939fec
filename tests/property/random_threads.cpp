// SPDX-License-Identifier: BSD-3-Clause
// Random programs of collectives over threads.
#include "random_programs.hpp"

int main() {
    return random_programs::main_with(
        "threads", [](int size, auto const& rank) { collectives::threads::run(size, rank); });
}
