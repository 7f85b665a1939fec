// SPDX-License-Identifier: BSD-3-Clause
// The kernels themselves, for nvcc (with --expt-relaxed-constexpr).
#pragma once

#include <collectives/space/cuda/launch.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

namespace collectives::inline v0::cuda {

namespace detail {

inline constexpr unsigned threads_per_block = 512;
inline constexpr std::size_t most_blocks = 0x7fffffff;
inline constexpr std::size_t some_waves = 132 * 4 * 4;  // over a large device

template <class Body>
__global__ void __launch_bounds__(threads_per_block) run(Body const __grid_constant__ body) {
    body(worker{static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x,
                static_cast<std::size_t>(gridDim.x) * blockDim.x});
}

template <class Body>
void start(void (*kernel)(Body), Body const& body, std::size_t blocks, void* queue) {
    void* arguments[] = {const_cast<Body*>(&body)};  // only read
    auto const fault = ::cudaLaunchKernel(
        reinterpret_cast<void const*>(kernel), dim3(static_cast<unsigned>(blocks)),
        dim3(threads_per_block), arguments, 0, static_cast<cudaStream_t>(queue));
    if (fault != cudaSuccess) {  // of this launch alone, whatever failed before
        static_cast<void>(::cudaGetLastError());
        throw_error<transport_error>("a kernel does not start: ", cudaGetErrorString(fault));
    }
}

/// Bodies whose workers move one pack each and end.
template <class Body>
concept moves_one_pack_each = requires { requires bool{Body::one_pack_each}; };

}  // namespace detail

struct device_launcher {
    template <class Body>
    static void launch(Body const& body, std::size_t work, void* queue) {
        using namespace detail;
        auto const blocks = std::min((work + threads_per_block - 1) / threads_per_block,
                                     moves_one_pack_each<Body> ? most_blocks : some_waves);
        start(&run<Body>, body, blocks, queue);
    }
};

/// In the source file of the kernels, at namespace scope: the program can reduce T by Op on
/// devices.
///
///     static bool const mine = collectives::cuda::provide<my_operator, my_type>();
template <class Op, class T>
bool provide() {
    return provide_with<device_launcher, Op, T>();
}

}  // namespace collectives::cuda
