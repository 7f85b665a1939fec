// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the integers, at every level, offset and tail.
#include <unit/kernels.hpp>

#include <concepts>

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

}  // namespace

TEST_CASE_TEMPLATE("kernels of narrow integers", T, bool, std::int8_t, std::uint8_t, std::int16_t,
                   std::uint16_t) {
    check_integers<T>();
}

TEST_CASE_TEMPLATE("kernels of wide integers", T, std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t) {
    check_integers<T>();
}
