// SPDX-License-Identifier: BSD-3-Clause
// The few operations that a dense network needs of a device, enqueued on one stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace trainer {

/// Columns stand one behind the other, as in cuBLAS; a column is an image.
class device_math {
public:
    /// Of a product's factor: as it stands, or with rows and columns exchanged.
    struct factor {
        float const* values;
        bool transposed;
    };

    device_math() = default;
    device_math(device_math const&) = delete;
    device_math& operator=(device_math const&) = delete;
    virtual ~device_math() = default;

    virtual void* stream() = 0;
    virtual void* allocate(std::size_t bytes) = 0;  ///< zeroed
    virtual void free(void* p) = 0;
    virtual void put(void* to, void const* from, std::size_t bytes) = 0;  ///< from the host
    virtual void get(void* to, void const* from, std::size_t bytes) = 0;  ///< to the host; waits
    virtual void clear(void* p, std::size_t bytes) = 0;

    /// out (rows x columns) = a b, or += where it `adds`; `inner` is what a has columns and b rows.
    virtual void multiply(float* out, int rows, int columns, int inner, factor a, factor b,
                          bool adds) = 0;
    /// values (rows x columns) += bias (rows), and then perhaps their tanh.
    virtual void add_bias(float* values, float const* bias, int rows, int columns, bool tanh) = 0;
    /// bias (rows) += the sum over the columns.
    virtual void add_columns(float* bias, float const* values, int rows, int columns) = 0;
    /// by_values *= the derivative of tanh where tanh is `values`.
    virtual void through_tanh(float* by_values, float const* values, std::size_t count) = 0;
    /// Scores become `scale` times the loss's derivative by them; *loss += the losses' sum.
    virtual void softmax(float* scores, std::uint8_t const* labels, int rows, int columns,
                         float scale, double* loss) = 0;
    /// v = momentum v - rate g; w += v.
    virtual void descend(float* w, float* v, float const* g, std::size_t count, float rate,
                         float momentum) = 0;
};

/// By cuBLAS, on a device, which is the calling thread's current one from now on.
std::unique_ptr<device_math> make_device_math(int device);
/// 0 where there is none.
int device_count();

}  // namespace trainer
