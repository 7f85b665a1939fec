// SPDX-License-Identifier: BSD-3-Clause
// Random programs of collectives: rapidcheck makes them and shrinks those that fail.
#include <property/rank_run.hpp>
#include <property/suites.hpp>

#include <rapidcheck.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace random_programs {

int main_with(char const* name, std::function<void(int size, rank_body const&)> const& run,
              std::size_t otherwise) {
    auto const* const asked = std::getenv("COLLECTIVES_TEST_CASES");
    auto const wanted = asked != nullptr ? std::strtoul(asked, nullptr, 10) : otherwise;
    std::size_t done = 0;
    bool fine = true;
    while (fine && done < wanted) {
        fine = rc::check(name, [&](std::vector<instruction> const& program) {
            auto const size = *rc::gen::element(2, 3, 5, 8, 8);
            run(size, [&](coll::communicator& comm) { rank_run(comm).run(program); });
            done += program.size();
        });
    }
    std::printf("%s: %zu random collectives\n", name, done);
    return fine ? 0 : 1;
}

}  // namespace random_programs
