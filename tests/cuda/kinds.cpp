// SPDX-License-Identifier: BSD-3-Clause
// Types, operators, bits and mistakes over devices without a GPU: ranks that are threads.
#include <conformance/operators.hpp>
#include <conformance/suites.hpp>
#include <cuda/worlds.hpp>

namespace {

template <class... T>
bool provide_some() {
    using namespace collectives;
    using fake::launcher;
    (cuda::provide_with<launcher, sum, T>(), ...);
    (cuda::provide_with<launcher, average, T>(), ...);
    (cuda::provide_with<launcher, min, T>(), ...);
    (cuda::provide_with<launcher, max, T>(), ...);
    (cuda::provide_with<launcher, product, T>(), ...);
    (cuda::provide_with<launcher, logical_and, T>(), ...);
    (cuda::provide_with<launcher, logical_or, T>(), ...);
    return cuda::provide_moves_with<launcher>();
}

bool const kernels_are_there = [] {
    namespace cuda = collectives::cuda;
    using fake::launcher;
    using namespace conformance;
    cuda::for_each_operator<std::complex<float>>(
        []<class Op, class T>() { cuda::provide_with<launcher, Op, T>(); });
    cuda::for_each_operator<std::complex<double>>(
        []<class Op, class T>() { cuda::provide_with<launcher, Op, T>(); });
    cuda::provide_with<launcher, matrix_product, matrix>();
    cuda::provide_with<launcher, collectives::product, matrix>();
    cuda::provide_with<launcher, take_longer, span_of_time>();
    cuda::provide_with<launcher, take_first, std::int32_t>();
    using halved = collectives::premultiplied_sum<float>;
    cuda::provide_with<launcher, halved, float>();
    cuda::provide_with<launcher, halved, collectives::float16>();
    cuda::provide_with<launcher, halved, collectives::bfloat16>();
    cuda::provide_with<launcher, halved, collectives::float8_e4m3>();
    cuda::provide_with<launcher, halved, collectives::float8_e5m2>();
    cuda::provide_with<launcher, collectives::premultiplied_sum<double>, double>();
    cuda::provide_with<launcher, collectives::sum, std::uint64_t>();
    cuda::provide_with<launcher, collectives::max, std::int8_t>();
    cuda::provide_with<launcher, collectives::average, std::uint8_t>();
    return provide_some<std::int32_t, float, double, collectives::float16, collectives::bfloat16,
                        collectives::float8_e4m3, collectives::float8_e5m2>();
}();

}  // namespace

namespace conformance {

TEST_CASE("operators on floating-point numbers") { floating_point(fake::over_threads); }
TEST_CASE("a user's types and operators") { own_types(fake::over_threads); }
TEST_CASE("a NaN reaches every rank") { not_a_number(fake::over_threads); }
TEST_CASE("what averages and scaled sums round") { rounding(fake::over_threads); }
TEST_CASE("all ranks get the same bits") { equal_bits(fake::over_threads); }
TEST_CASE("reproducible is the left fold") { reproducible(fake::over_threads); }
TEST_CASE("mistakes of the caller") { mistakes(fake::over_threads); }

}  // namespace conformance
