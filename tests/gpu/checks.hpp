// SPDX-License-Identifier: BSD-3-Clause
// What the checks on a GPU share: device buffers, medians, and how a figure is told to `run`.
#pragma once

#include <collectives/cuda.hpp>
#include <collectives/transport/cuda/space.hpp>

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
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

inline constexpr std::size_t mib = std::size_t{1} << 20;

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

/// What this thread has copied and set without a stream is there: the calls return before, and the
/// library's streams do not wait for it.
inline void settle() { check(::cudaStreamSynchronize(nullptr), "cudaStreamSynchronize"); }

template <class T>
void to_device(T* to, std::vector<T> const& from) {
    if (!from.empty()) {
        check(::cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyDefault), "copy");
    }
    settle();
}
template <class T>
std::vector<T> from_device(T const* from, std::size_t n) {
    std::vector<T> result(n);
    if (n != 0) {
        check(::cudaMemcpy(result.data(), from, n * sizeof(T), cudaMemcpyDefault), "copy");
    }
    return result;
}

/// A figure that processes leave to each other.
class shared_figure {
public:
    shared_figure() {
        auto* const p = ::mmap(nullptr, sizeof(double), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        require(p != MAP_FAILED, "mmap");
        at_ = static_cast<double*>(p);
    }
    shared_figure(shared_figure const&) = delete;
    shared_figure& operator=(shared_figure const&) = delete;
    ~shared_figure() { ::munmap(at_, sizeof(double)); }
    double& operator*() const { return *at_; }
    void add(double x) const { std::atomic_ref(*at_).fetch_add(x); }

private:
    double* at_;
};

/// Floats that differ from rank to rank: every byte is the same.
inline void fill_with_bytes(float* to, std::size_t n, int rank) {
    check(::cudaMemset(to, 0x3c + rank, n * sizeof(float)), "cudaMemset");
    settle();
}
/// Sums of them, at some places and at the end.
inline void expect_sum_of_bytes(float const* at, std::size_t n, int size) {
    double sum = 0;
    for (unsigned r = 0; r < static_cast<unsigned>(size); ++r) {
        sum += static_cast<double>(std::bit_cast<float>(0x01010101U * (0x3cU + r)));
    }
    auto const expect = [&](std::size_t first, std::size_t count) {
        for (float const x : from_device(at + first, count)) {
            require(std::abs(static_cast<double>(x) - sum) <= 1e-5 * sum, "a wrong sum");
        }
    };
    auto const some = std::min(n, std::size_t{1'000});
    for (std::size_t i = 0; i < 16; ++i) { expect((n - some) / 16 * i, some); }
    expect(n - some, some);
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

/// Threads in a process of their own: CUDA is not to be touched here before the next fork.
template <class F>
void on_threads(int size, F const& f) {
    coll::shm::run(1, [&](auto&) {
        coll::threads::run(size, [&](auto& base) {
            auto comm = coll::cuda::communicator(base, 0);
            f(comm);
        });
    });
}

/// Thrown by a check that cannot be done here, and says why.
struct not_here : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Runs the check that the command line names. 77: there is no device; 78: it cannot be done here.
/// Checks whose ranks are processes must not touch CUDA before these are forked.
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
        return none ? 77 : dynamic_cast<not_here const*>(&e) != nullptr ? 78 : 1;
    }
}

}  // namespace gpu
