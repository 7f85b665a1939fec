// SPDX-License-Identifier: BSD-3-Clause
// Starts the ranks of a job on this machine, marks what they write, and ends them together.
#include "job.hpp"
#include "options.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
    try {
        int status = 0;
        auto const wanted = collrun::parse(argc, argv, status);
        return wanted ? collrun::job(*wanted).run() : status;
    } catch (std::exception const& e) {
        fmt::print(stderr, "collrun: {}\n", e.what());
        return 1;
    }
}
