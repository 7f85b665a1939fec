// SPDX-License-Identifier: BSD-3-Clause
// The operations by cuBLAS and small kernels, and the library's own kernels for averages of floats.
#include "bodies.hpp"
#include "math.hpp"

#include <collectives/space/cuda/device.cuh>

#include <cublas_v2.h>
#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace trainer {
namespace {

namespace coll = collectives;

bool const kernels_are_there = coll::cuda::provide<coll::average, float>() &&
                               coll::cuda::provide<coll::average, coll::bfloat16>() &&
                               coll::cuda::provide_moves_with<coll::cuda::device_launcher>();

void check(cudaError_t fault) {
    if (fault != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(fault)); }
}
/// cuBLAS, which is loaded with the first network on a device: it takes a third of a second, and
/// some hundred megabytes of addresses that every process started since would inherit.
class blas_library {
public:
    blas_library() {
        auto const file = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
        auto* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) { throw std::runtime_error(std::string("cuBLAS: ") + dlerror()); }
        load(create, library, "cublasCreate_v2");
        load(destroy, library, "cublasDestroy_v2");
        load(set_stream, library, "cublasSetStream_v2");
        load(multiply, library, "cublasSgemm_v2");
        load(name_of, library, "cublasGetStatusString");
    }  // it stays loaded

    void check(cublasStatus_t fault) const {
        if (fault != CUBLAS_STATUS_SUCCESS) {
            throw std::runtime_error(std::string("cuBLAS: ") + name_of(fault));
        }
    }

    decltype(&cublasCreate_v2) create;
    decltype(&cublasDestroy_v2) destroy;
    decltype(&cublasSetStream_v2) set_stream;
    decltype(&cublasSgemm_v2) multiply;
    decltype(&cublasGetStatusString) name_of;

private:
    template <class Function>
    static void load(Function& to, void* library, char const* name) {
        to = reinterpret_cast<Function>(dlsym(library, name));
        if (to == nullptr) { throw std::runtime_error(std::string("cuBLAS has no ") + name); }
    }
};

/// Calls f(i) for i < count, each in a thread.
template <class F>
__global__ void for_each_kernel(std::size_t count, F f) {
    auto const i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) { f(i); }
}
template <class F>
void for_each(std::size_t count, cudaStream_t on, F const& f) {
    if (count == 0) { return; }
    constexpr unsigned threads = 256;
    for_each_kernel<<<static_cast<unsigned>((count + threads - 1) / threads), threads, 0, on>>>(
        count, f);
    check(cudaGetLastError());
}

// What a kernel is given to do: nvcc takes no unnamed functions of the host's functions here.
struct biased {
    float* values;
    float const* bias;
    std::size_t rows;
    bool tanh;
    __device__ void operator()(std::size_t i) const {
        auto const x = values[i] + bias[i % rows];
        values[i] = tanh ? tanhf(x) : x;
    }
};
struct summed {
    float* bias;
    float const* values;
    int rows, columns;
    __device__ void operator()(std::size_t i) const {
        bias[i] += sum_of_row(values, static_cast<int>(i), rows, columns);
    }
};
struct derived {
    float* by_values;
    float const* values;
    __device__ void operator()(std::size_t i) const { by_values[i] *= 1 - values[i] * values[i]; }
};
struct classified {
    float* scores;
    std::uint8_t const* labels;
    int rows;
    float scale;
    double* loss;
    __device__ void operator()(std::size_t i) const {
        auto const lost = softmax_column(
            scores + i * static_cast<std::size_t>(rows), rows, labels[i], scale,
            [](float x) { return expf(x); }, [](float x) { return logf(x); });
        atomicAdd(loss, static_cast<double>(lost));
    }
};
struct descended {
    float *w, *v;
    float const* g;
    float rate, momentum;
    __device__ void operator()(std::size_t i) const {
        descend_one(w[i], v[i], g[i], rate, momentum);
    }
};

class cublas_math final : public device_math {
public:
    cublas_math() {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        blas_.check(blas_.create(&handle_));
        blas_.check(blas_.set_stream(handle_, stream_));
    }
    ~cublas_math() override {
        static_cast<void>(blas_.destroy(handle_));
        static_cast<void>(cudaStreamDestroy(stream_));
    }
    void* stream() override { return stream_; }
    void* allocate(std::size_t bytes) override {
        void* p = nullptr;
        check(cudaMalloc(&p, bytes));
        clear(p, bytes);
        return p;
    }
    void free(void* p) override { static_cast<void>(cudaFree(p)); }
    void put(void* to, void const* from, std::size_t bytes) override {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
        check(cudaStreamSynchronize(stream_));  // the caller's again
    }
    void get(void* to, void const* from, std::size_t bytes) override {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
        check(cudaStreamSynchronize(stream_));
    }
    void clear(void* p, std::size_t bytes) override {
        check(cudaMemsetAsync(p, 0, bytes, stream_));
    }

    void multiply(float* out, int rows, int columns, int inner, factor a, factor b,
                  bool adds) override {
        float const one = 1, before = adds ? 1 : 0;
        auto const how = [](factor f) { return f.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
        blas_.check(blas_.multiply(handle_, how(a), how(b), rows, columns, inner, &one, a.values,
                                   a.transposed ? inner : rows, b.values,
                                   b.transposed ? columns : inner, &before, out, rows));
    }
    void add_bias(float* values, float const* bias, int rows, int columns, bool tanh) override {
        auto const r = static_cast<std::size_t>(rows);
        for_each(r * static_cast<std::size_t>(columns), stream_, biased{values, bias, r, tanh});
    }
    void add_columns(float* bias, float const* values, int rows, int columns) override {
        for_each(static_cast<std::size_t>(rows), stream_, summed{bias, values, rows, columns});
    }
    void through_tanh(float* by_values, float const* values, std::size_t count) override {
        for_each(count, stream_, derived{by_values, values});
    }
    void softmax(float* scores, std::uint8_t const* labels, int rows, int columns, float scale,
                 double* loss) override {
        for_each(static_cast<std::size_t>(columns), stream_,
                 classified{scores, labels, rows, scale, loss});
    }
    void descend(float* w, float* v, float const* g, std::size_t count, float rate,
                 float momentum) override {
        for_each(count, stream_, descended{w, v, g, rate, momentum});
    }

private:
    blas_library const blas_;
    cudaStream_t stream_ = nullptr;
    cublasHandle_t handle_ = nullptr;
};

}  // namespace

std::unique_ptr<device_math> make_device_math(int device) {
    check(cudaSetDevice(device));
    return std::make_unique<cublas_math>();
}

int device_count() {
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}

}  // namespace trainer
