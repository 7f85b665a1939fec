// SPDX-License-Identifier: BSD-3-Clause
// Those kernels of kernels.cu that fall to one PART of seven, so that several compilers work at
// them.
#include <collectives/space/cuda/device.cuh>

#include "own_operator.hpp"

#include <type_traits>

namespace {

namespace coll = collectives;

template <class T>
constexpr int part_of() {
    if (std::is_integral_v<T>) {
        return sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    }
    if (std::is_floating_point_v<T>) { return 4; }
    return sizeof(T) == 2 ? 5 : 6;
}
struct provider {
    template <class Op, class T>
    void operator()() const {
        if constexpr (part_of<T>() == PART) { coll::cuda::provide<Op, T>(); }
    }
};

bool const some = [] {
    coll::cuda::for_each_kernel(provider{});
    if constexpr (PART == 4) {
        coll::cuda::provide_moves_with<coll::cuda::device_launcher>();
        coll::cuda::provide<gpu::weaker, gpu::pair>();
    }
    return true;
}();

}  // namespace
