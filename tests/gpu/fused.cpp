// SPDX-License-Identifier: BSD-3-Clause
// Tensor fusion on a GPU: the host's bits, and what many small tensors cost.
#include "checks.hpp"

#include <conformance/world.hpp>

#include <cstring>
#include <memory>

namespace {

using namespace gpu;
using conformance::scramble;

template <class T>
using device_vector = std::unique_ptr<T, cudaError_t (*)(void*)>;
template <class T>
device_vector<T> on_device(std::size_t n) {
    void* p = nullptr;
    check(::cudaMalloc(&p, n * sizeof(T)), "cudaMalloc");
    return {static_cast<T*>(p), &::cudaFree};
}
float value(int rank, std::size_t tensor, std::size_t i) {
    auto const x = scramble(tensor * 100'000 + i * 16 + static_cast<std::size_t>(rank));
    return static_cast<float>(x % 1'000'003) / 777.0F - 600.0F;
}

/// Tensors anywhere in one allocation; with `reproducible` the left fold in rank order.
template <class Comm>
void fuse(Comm& comm, coll::fusion_options how) {
    constexpr std::size_t tensors = 200;
    std::vector<std::size_t> first(1), count;
    for (std::size_t t = 0; t < tensors; ++t) {
        count.push_back(t % 50 == 4 ? 300'000 : t % 7 == 3 ? 0 : scramble(t) % 900);
        first.push_back(first.back() + count.back() + t % 3);
    }
    auto const memory = on_device<float>(first.back());
    auto const numbers = on_device<std::int32_t>(1000);
    how.reproducible = true;
    coll::fusion_buffer fusion(comm, how);
    for (std::size_t step = 0; step < 3; ++step) {
        for (std::size_t t = 0; t < tensors; ++t) {
            std::vector<float> v(count[t]);
            for (std::size_t i = 0; i < v.size(); ++i) { v[i] = value(comm.rank(), t + step, i); }
            to_device(memory.get() + first[t], v);
            (void)fusion.add(std::span(memory.get() + first[t], count[t]), "tensor");
        }
        to_device(numbers.get(), std::vector<std::int32_t>(1000, comm.rank() + 1));
        (void)fusion.add(std::span(numbers.get(), 1000));
        fusion.flush();
        for (std::size_t t = 0; t < tensors; ++t) {
            std::vector<float> expected(count[t]);
            for (std::size_t i = 0; i < expected.size(); ++i) {
                expected[i] = value(0, t + step, i);
                for (int r = 1; r < comm.size(); ++r) { expected[i] += value(r, t + step, i); }
            }
            auto const got = from_device(memory.get() + first[t], count[t]);
            require(got.empty() ||
                        std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)) == 0,
                    "other bits in tensor " + std::to_string(t));
        }
        require(from_device(numbers.get(), 1000) ==
                    std::vector<std::int32_t>(1000, comm.size() * (comm.size() + 1) / 2),
                "a wrong sum of whole numbers");
    }
}
template <class Comm>
void shorten(Comm& comm) {
    for (auto const how :
         {coll::compress<float, coll::bfloat16>(), coll::compress<float, coll::float16>()}) {
        auto const memory = on_device<float>(5'003);
        std::vector<float> v(5'003);
        for (std::size_t i = 0; i < v.size(); ++i) { v[i] = static_cast<float>(i % 64); }
        to_device(memory.get(), v);
        coll::fusion_buffer fusion(comm, {.op = coll::average{}, .compress = how});
        (void)fusion.add(std::span(memory.get() + 1, 5'000));
        (void)fusion.add(std::span(memory.get() + 5'001, 1));
        fusion.flush();
        require(from_device(memory.get(), v.size()) == v, "16 bits that hold the averages");
    }
}
template <class Comm>
void fuse_all(Comm& comm) {
    for (auto const threshold : {std::size_t{0}, std::size_t{50'000}, std::size_t{64} << 20}) {
        fuse(comm, {.threshold = threshold});
        fuse(comm, {.threshold = threshold, .progress_thread = true});
    }
    fuse(comm, {.threshold = 50'000, .under_way = 2, .priorities = true});
    shorten(comm);
}

void fused() {
    coll::threads::run(1, [](auto& base) { auto comm = coll::cuda::communicator(base, 0); });
    for (int const size : {1, 3}) {
        coll::threads::run(size, [](auto& base) {
            auto comm = coll::cuda::communicator(base, 0);
            fuse_all(comm);
        });
    }
    report("fused tensors, threads: wrong results", 0, "", '<', 0);
}
void fused_over_processes() {
    coll::shm::run(3, [](auto& base) {
        auto comm = coll::cuda::communicator(base, 0);
        fuse_all(comm);
    });
    report("fused tensors, processes: wrong results", 0, "", '<', 0);
}

/// 10,000 tensors of 64 floats against one call for all of them and two copies.
void cost() {
    coll::threads::run(2, [](auto& base) {
        auto comm = coll::cuda::communicator(base, 0);
        constexpr std::size_t tensors = 10'000, each = 64;
        auto const memory = on_device<float>(tensors * each);
        auto whole = comm.template allocate<float>(tensors * each);
        coll::fusion_buffer fusion(comm);
        auto const apart = seconds(21, [&] {
            for (std::size_t t = 0; t < tensors; ++t) {
                (void)fusion.add(std::span(memory.get() + t * each, each));
            }
            fusion.flush();
        });
        auto const copy = [&](void* to, void const* from) {
            check(::cudaMemcpy(to, from, tensors * each * sizeof(float), cudaMemcpyDefault),
                  "cudaMemcpy");
        };
        auto const together = seconds(21, [&] {
            copy(whole.data(), memory.get());
            comm.all_reduce(whole);
            copy(memory.get(), whole.data());
        });
        if (comm.rank() != 0) { return; }
        control("10,000 fused tensors of 64 floats, 2 threads", apart * 1e6, "us");
        control("one all_reduce of as much, and two copies", together * 1e6, "us");
        control("a tensor's own part of that", (apart - together) / tensors * 1e9, "ns");
    });
}

}  // namespace

int main(int argc, char** argv) {
    return gpu::run_check(
        argc, argv, {{"1_fused", fused}, {"2_processes", fused_over_processes}, {"3_cost", cost}});
}
