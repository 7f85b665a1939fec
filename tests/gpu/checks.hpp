// SPDX-License-Identifier: BSD-3-Clause
// What the checks on a GPU share: device buffers, medians, and how a figure is told to `run`.
#pragma once

#include <collectives/cuda.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace gpu {

namespace coll = collectives;

inline void check(cudaError_t fault, char const* what) {
    if (fault == cudaErrorInsufficientDriver || fault == cudaErrorNoDevice) {
        throw std::runtime_error(std::string("there is no CUDA device: ") +
                                 ::cudaGetErrorString(fault));
    }
    if (fault != cudaSuccess) {
        throw std::runtime_error(std::string(what) + ": " + ::cudaGetErrorString(fault));
    }
}
inline void require(bool fine, std::string const& what) {
    if (!fine) { throw std::runtime_error(what); }
}

/// One line for `run`: what was checked, the figure, its unit, the least or most it may be.
inline void report(std::string const& name, double figure, char const* unit, char relation,
                   double threshold) {
    std::printf("CHECK\t%s\t%.6g\t%s\t%c\t%.6g\n", name.c_str(), figure, unit, relation, threshold);
    std::fflush(stdout);
}
/// A figure that only others are measured by.
inline void control(std::string const& name, double figure, char const* unit) {
    std::printf("CHECK\t%s\t%.6g\t%s\t-\t0\n", name.c_str(), figure, unit);
    std::fflush(stdout);
}

template <class T>
void to_device(T* to, std::vector<T> const& from) {
    if (!from.empty()) {
        check(::cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyDefault), "copy");
    }
}
template <class T>
std::vector<T> from_device(T const* from, std::size_t n) {
    std::vector<T> result(n);
    if (n != 0) {
        check(::cudaMemcpy(result.data(), from, n * sizeof(T), cudaMemcpyDefault), "copy");
    }
    return result;
}

inline double median(std::vector<double> all) {
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2),
                     all.end());
    return all[all.size() / 2];
}
/// Seconds of one call of f, the median of `times`, which must be odd; the first two do not count.
template <class F>
double seconds(int times, F const& f) {
    std::vector<double> all;
    for (int i = -2; i < times; ++i) {
        auto const start = coll::steady::now();
        f();
        auto const took = std::chrono::duration<double>(coll::steady::now() - start).count();
        if (i >= 0) { all.push_back(took); }
    }
    return median(std::move(all));
}

/// Bytes per second, read and written, of CUDA's own copy within the device.
inline double copy_speed(std::size_t bytes) {
    void *from = nullptr, *to = nullptr;
    check(::cudaMalloc(&from, bytes), "cudaMalloc");
    check(::cudaMalloc(&to, bytes), "cudaMalloc");
    check(::cudaMemset(from, 1, bytes), "cudaMemset");
    auto const time = seconds(21, [&] {
        check(::cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, nullptr), "copy");
        check(::cudaStreamSynchronize(nullptr), "synchronize");
    });
    check(::cudaFree(from), "cudaFree");
    check(::cudaFree(to), "cudaFree");
    return 2.0 * static_cast<double>(bytes) / time;
}

/// Runs the check that the command line names. 77: there is no device. Checks whose ranks are
/// processes must not touch CUDA before these are forked.
inline int run_check(int argc, char** argv,
                     std::map<std::string, std::function<void()>> const& all) {
    if (argc != 2 || !all.contains(argv[1])) {
        for (auto const& [name, f] : all) { std::printf("%s\n", name.c_str()); }
        return argc == 1 ? 0 : 2;
    }
    try {
        all.at(argv[1])();
        return 0;
    } catch (std::exception const& e) {
        std::printf("ERROR\t%s\n", e.what());
        auto const none =
            std::string(e.what()).find("there is no CUDA device") != std::string::npos;
        return none ? 77 : 1;
    }
}

}  // namespace gpu
