// SPDX-License-Identifier: BSD-3-Clause
// Types, operators, bits and mistakes over devices without a GPU: ranks that are threads.
#include <conformance/bits_suite.hpp>
#include <conformance/types_suite.hpp>
#include <conformance/usage_suite.hpp>
#include <cuda/worlds.hpp>

TYPE_TO_STRING(fake::over_threads);

namespace {

template <class... T>
bool provide_some() {
    using namespace collectives;
    using fake::plain_launcher;
    (cuda::provide_with<plain_launcher, sum, T>(), ...);
    (cuda::provide_with<plain_launcher, average, T>(), ...);
    (cuda::provide_with<plain_launcher, min, T>(), ...);
    (cuda::provide_with<plain_launcher, max, T>(), ...);
    (cuda::provide_with<plain_launcher, product, T>(), ...);
    (cuda::provide_with<plain_launcher, logical_and, T>(), ...);
    (cuda::provide_with<plain_launcher, logical_or, T>(), ...);
    return cuda::provide_moves_with<plain_launcher>();
}

bool const kernels_are_there = [] {
    namespace cuda = collectives::cuda;
    using fake::plain_launcher;
    using namespace conformance;
    cuda::for_each_operator<std::complex<float>>(
        []<class Op, class T>() { cuda::provide_with<plain_launcher, Op, T>(); });
    cuda::for_each_operator<std::complex<double>>(
        []<class Op, class T>() { cuda::provide_with<plain_launcher, Op, T>(); });
    cuda::provide_with<plain_launcher, matrix_product, matrix>();
    cuda::provide_with<plain_launcher, collectives::product, matrix>();
    cuda::provide_with<plain_launcher, take_longer, span_of_time>();
    cuda::provide_with<plain_launcher, take_first, std::int32_t>();
    using halved = collectives::premultiplied_sum<float>;
    cuda::provide_with<plain_launcher, halved, float>();
    cuda::provide_with<plain_launcher, halved, collectives::float16>();
    cuda::provide_with<plain_launcher, halved, collectives::bfloat16>();
    cuda::provide_with<plain_launcher, collectives::premultiplied_sum<double>, double>();
    cuda::provide_with<plain_launcher, collectives::sum, std::uint64_t>();
    cuda::provide_with<plain_launcher, collectives::max, std::int8_t>();
    cuda::provide_with<plain_launcher, collectives::average, std::uint8_t>();
    return provide_some<std::int32_t, float, double, collectives::float16, collectives::bfloat16>();
}();

}  // namespace

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(floating_point, fake::over_threads);
TEST_CASE_TEMPLATE_INVOKE(own_types, fake::over_threads);
TEST_CASE_TEMPLATE_INVOKE(not_a_number, fake::over_threads);
TEST_CASE_TEMPLATE_INVOKE(rounding, fake::over_threads);
TEST_CASE_TEMPLATE_INVOKE(equal_bits, fake::over_threads);
TEST_CASE_TEMPLATE_INVOKE(reproducible, fake::over_threads);
TEST_CASE_TEMPLATE_INVOKE(mistakes, fake::over_threads);

}  // namespace conformance
