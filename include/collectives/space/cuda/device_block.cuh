// SPDX-License-Identifier: BSD-3-Clause
// A block of a device's threads, as fused kernels see it; for nvcc.
#pragma once

#include <collectives/space/cuda/body.hpp>

#include <cstddef>
#include <cstdint>

namespace collectives::cuda::detail {

/// See `fused_session`. The host's half is never called.
class device_block {
public:
    __host__ __device__ std::size_t number() const {
#if defined(__CUDA_ARCH__)
        return blockIdx.x;
#else
        return 0;
#endif
    }
    template <class Work>
    __host__ __device__ void for_workers(Work const& work) const {
#if defined(__CUDA_ARCH__)
        work(worker{threadIdx.x, blockDim.x});
#else
        static_cast<void>(work);
#endif
    }
    __host__ __device__ void sync() const {
#if defined(__CUDA_ARCH__)
        __syncthreads();
#endif
    }
    template <class T>
    __host__ __device__ T& room() const {
#if defined(__CUDA_ARCH__)
        __shared__ alignas(16) std::byte bytes[sizeof(T)];
        return *reinterpret_cast<T*>(bytes);
#else
        return *static_cast<T*>(nullptr);
#endif
    }
    __host__ __device__ bool failed() const { return *flag() != 0; }
    __host__ __device__ void failed(bool is) const { *flag() = is ? 1 : 0; }

    /// Ordered with all of the system: peers may be on other devices.
    __host__ __device__ void publish(std::uint64_t* word, std::uint64_t value) const {
#if defined(__CUDA_ARCH__)
        asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
#else
        *word = value;
#endif
    }
    __host__ __device__ std::uint64_t look(std::uint64_t const* word) const {
        std::uint64_t value = 0;
#if defined(__CUDA_ARCH__)
        asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
#else
        value = *word;
#endif
        return value;
    }
    __host__ __device__ std::uint64_t peek(std::uint64_t const* word) const {
        std::uint64_t value = 0;
#if defined(__CUDA_ARCH__)
        asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
#else
        value = *word;
#endif
        return value;
    }
    __host__ __device__ void leave(std::uint64_t* word, std::uint64_t value) const {
#if defined(__CUDA_ARCH__)
        asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
#else
        *word = value;
#endif
    }
    __host__ __device__ void fence() const {
#if defined(__CUDA_ARCH__)
        asm volatile("fence.sc.sys;" ::: "memory");
#endif
    }
    __host__ __device__ std::uint64_t now() const {
        std::uint64_t ns = 0;
#if defined(__CUDA_ARCH__)
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
#endif
        return ns;
    }
    __host__ __device__ void pause() const {}

private:
    __host__ __device__ static int volatile* flag() {
#if defined(__CUDA_ARCH__)
        __shared__ int value;
        return &value;
#else
        return nullptr;
#endif
    }
};

}  // namespace collectives::cuda::detail
