// SPDX-License-Identifier: BSD-3-Clause
// One half of a program in two files: the linker must find every function of the library once.
#include "two_units.hpp"

#include <cstdio>

namespace coll = collectives;

int main() {
    std::vector<float> here(8);
    coll::threads::run(3, [&](auto& comm) {
        std::vector<float> mine(here.size(), static_cast<float>(comm.rank() + 1));
        comm.all_reduce(mine);
        if (comm.rank() == 0) { here = mine; }
    });
    bool const right = here == std::vector<float>(8, 6.0F) && here == summed_by_the_other(3);
    std::puts(right ? "both halves agree" : "the halves differ");
    return right ? 0 : 1;
}
