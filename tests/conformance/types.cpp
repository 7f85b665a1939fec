// SPDX-License-Identifier: BSD-3-Clause
// Every operator on every type it is for, over threads and over processes, with all algorithms.
#include <conformance/suites.hpp>

namespace conformance {

TEST_CASE("operators on integers") { over_each({over_threads, over_shm}, integers); }
TEST_CASE("operators on floating-point numbers") {
    over_each({over_threads, over_shm}, floating_point);
}
TEST_CASE("a user's types and operators") { over_each({over_threads, over_shm}, own_types); }
TEST_CASE("a NaN reaches every rank") { over_each({over_threads, over_shm}, not_a_number); }
TEST_CASE("what averages and scaled sums round") { over_each({over_threads, over_shm}, rounding); }

}  // namespace conformance
