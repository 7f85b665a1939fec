// SPDX-License-Identifier: BSD-3-Clause
// Questions to CUDA from a thread that captures a stream.
#pragma once

#include <cuda_runtime_api.h>

namespace collectives::inline v0::cuda::detail {

/// While it lives, this thread may ask what CUDA forbids a thread that captures a stream.
class unlike_capture {
public:
    unlike_capture() { exchange(); }
    unlike_capture(unlike_capture const&) = delete;
    unlike_capture& operator=(unlike_capture const&) = delete;
    ~unlike_capture() { exchange(); }

private:
    void exchange() { static_cast<void>(::cudaThreadExchangeStreamCaptureMode(&mode_)); }
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace collectives::cuda::detail
