// SPDX-License-Identifier: BSD-3-Clause
// The kernels that the conformance suite's programs use, but those of every type.
#pragma once

#include <conformance/linear.hpp>
#include <cuda/fake_kernels.hpp>

namespace fake {

template <class... T>
bool provide_sums() {
    (cuda::provide_with<launcher, collectives::sum, T>(), ...);
    cuda::provide_moves_with<launcher>();
    return true;
}

[[maybe_unused]] static bool const sums_are_there =
    provide_sums<std::uint8_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                 std::uint64_t, float, double>();

}  // namespace fake
