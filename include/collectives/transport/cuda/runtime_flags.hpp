// SPDX-License-Identifier: BSD-3-Clause
// CUDA's stream memory operations, by the driver's calls that the runtime hands out.
#pragma once

#include <collectives/transport/cuda/runtime_files.hpp>

#include <cuda.h>

#include <cstdint>

namespace collectives::inline v0::cuda::detail {

/// What other devices have written may still be on its way when a word from there has come, unless
/// the wait flushes that.
inline bool flushes_words(int device) {
    return device_can(CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES, device);
}
inline bool has_stream_words(int device, bool from_others) {
    return device_can(CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, device) &&
           (!from_others || flushes_words(device));
}
/// Comes after all before it on the stream, for every observer: that is CUDA's default.
inline void write_stream_word(void* s, std::uint64_t* at, std::uint64_t value) {
    static auto* const call = driver_call<decltype(cuStreamWriteValue64)>("cuStreamWriteValue64");
    require_success(call(static_cast<CUstream>(s), reinterpret_cast<CUdeviceptr>(at), value,
                         CU_STREAM_WRITE_VALUE_DEFAULT),
                    "cuStreamWriteValue64");
}
inline void wait_stream_word(void* s, std::uint64_t* at, std::uint64_t least, bool flushes) {
    static auto* const call = driver_call<decltype(cuStreamWaitValue64)>("cuStreamWaitValue64");
    auto const how = static_cast<unsigned>(CU_STREAM_WAIT_VALUE_GEQ) |
                     (flushes ? static_cast<unsigned>(CU_STREAM_WAIT_VALUE_FLUSH) : 0U);
    require_success(call(static_cast<CUstream>(s), reinterpret_cast<CUdeviceptr>(at), least, how),
                    "cuStreamWaitValue64");
}

}  // namespace collectives::cuda::detail
