// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the integers, at every level, offset and tail.
#include <unit/kernels.hpp>

#include <concepts>
#include <cstdint>

namespace {

template <class T>
void check_integers() {
    kernels::check<T>(collectives::sum{});
    kernels::check<T>(collectives::product{});
    kernels::check<T>(collectives::min{});
    kernels::check<T>(collectives::max{});
    if constexpr (!std::same_as<T, bool>) { kernels::check<T>(collectives::average{}); }
    kernels::check<T>(collectives::bit_and{});
    kernels::check<T>(collectives::bit_or{});
    kernels::check<T>(collectives::bit_xor{});
    kernels::check<T>(collectives::logical_and{});
    kernels::check<T>(collectives::logical_or{});
    kernels::check<T>(collectives::premultiplied_sum{3});
}

template <class Op, class T>
using kernel_element = typename collectives::host::detail::kernel_element<Op, T>::type;

struct users_sum {
    int operator()(int a, int b) const { return a + b; }
};

static_assert(std::same_as<kernel_element<collectives::sum, int>, std::uint32_t>);
static_assert(std::same_as<kernel_element<collectives::bit_xor, long long>, std::uint64_t>);
static_assert(
    std::same_as<kernel_element<collectives::premultiplied_sum<int>, short>, std::uint16_t>);
static_assert(std::same_as<kernel_element<collectives::min, int>, std::int32_t>);
static_assert(std::same_as<kernel_element<collectives::average, signed char>, std::int8_t>);
static_assert(std::same_as<kernel_element<collectives::max, char16_t>, std::uint16_t>);
static_assert(std::same_as<kernel_element<users_sum, int>, int>);
static_assert(std::same_as<kernel_element<collectives::sum, bool>, bool>);
static_assert(std::same_as<kernel_element<collectives::sum, float>, float>);

}  // namespace

TEST_CASE_TEMPLATE("kernels of narrow integers", T, bool, std::int8_t, std::uint8_t, std::int16_t,
                   std::uint16_t) {
    check_integers<T>();
}

TEST_CASE_TEMPLATE("kernels of wide integers", T, std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t) {
    check_integers<T>();
}

TEST_CASE_TEMPLATE("kernels of integers with other names", T, char, wchar_t, char16_t, long long,
                   unsigned long long) {
    kernels::check<T>(collectives::sum{});
    kernels::check<T>(collectives::min{});
    kernels::check<T>(collectives::average{});
}

TEST_CASE("factors of another sign and width than the integers") {
    kernels::check<std::int8_t>(collectives::premultiplied_sum{std::int64_t{-300}});
    kernels::check<std::int16_t>(collectives::premultiplied_sum{-3});
    kernels::check<int>(collectives::premultiplied_sum{3'000'000'000U});
    kernels::check<std::int64_t>(collectives::premultiplied_sum{3'000'000'000U});
    kernels::check<std::uint64_t>(collectives::premultiplied_sum{-3});
}
