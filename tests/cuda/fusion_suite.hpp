// SPDX-License-Identifier: BSD-3-Clause
// Tensors fused in the memory of devices: the same results as one by one, and the host's bits.
#pragma once

#include <cuda/worlds.hpp>
#include <fusion/tensors.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fake {

using conformance::expect_throw;
using conformance::scramble;

/// A tensor in a device's memory, `odd` elements behind where an allocation begins.
template <class T>
class device_tensor {
public:
    device_tensor(machine& m, std::size_t n, std::size_t odd = 0)
        : machine_(m), memory_(m.allocate((n + odd + 1) * sizeof(T))), n_(n), odd_(odd) {}
    device_tensor(device_tensor const&) = delete;
    device_tensor& operator=(device_tensor const&) = delete;
    ~device_tensor() { machine_.free(memory_); }

    std::span<T> span() const { return {static_cast<T*>(memory_) + odd_, n_}; }
    /// On the stream: it may be there late.
    void put(std::vector<T> const& values, void* stream) const {
        if (n_ != 0) { machine_.copy(span().data(), values.data(), n_ * sizeof(T), stream); }
    }
    std::vector<T> get(void* stream) const {
        std::vector<T> result(n_);
        if (n_ != 0) { std::memcpy(result.data(), span().data(), n_ * sizeof(T)); }
        static_cast<void>(stream);
        return result;
    }

private:
    machine& machine_;
    void* memory_;
    std::size_t n_, odd_;
};

inline float some_float(int rank, std::size_t tensor, std::size_t i) {
    auto const x = scramble(tensor * 100'000 + i * 16 + static_cast<std::size_t>(rank));
    return static_cast<float>(x % 1'000'003) / 777.0F - 600.0F;
}

/// Sizes of a step's tensors: many small ones, empty ones, one longer than a team's share.
inline std::vector<std::size_t> some_sizes() {
    std::vector<std::size_t> all;
    for (std::size_t t = 0; t < 40; ++t) {
        all.push_back(t % 9 == 4 ? 5000 : t % 7 == 3 ? 0 : scramble(t) % 300);
    }
    return all;
}

/// Of floats, `steps` times, with `reproducible`: the left fold in rank order to the bit.
template <class Comm>
void fused_bits(Comm& comm, machine& m, coll::fusion_options how, int steps) {
    auto const sizes = some_sizes();
    std::vector<std::unique_ptr<device_tensor<float>>> tensors;
    for (std::size_t t = 0; t < sizes.size(); ++t) {
        tensors.push_back(std::make_unique<device_tensor<float>>(m, sizes[t], t % 5));
    }
    std::vector<device_tensor<std::uint16_t>*> none;
    device_tensor<std::int64_t> whole(m, 33, 1);
    how.reproducible = true;
    coll::fusion_buffer fusion(comm, how);
    for (int step = 0; step < steps; ++step) {
        auto const salt = static_cast<std::size_t>(step) * 1000;
        std::vector<std::int64_t> numbers(33, comm.rank() + step);
        for (std::size_t t = 0; t < sizes.size(); ++t) {
            std::vector<float> values(sizes[t]);
            for (std::size_t i = 0; i < sizes[t]; ++i) {
                values[i] = some_float(comm.rank(), salt + t, i);
            }
            tensors[t]->put(values, how.stream);
            auto done = fusion.add(tensors[t]->span(), "tensor", static_cast<int>(t));
            if (t == 20) {  // another type in between
                whole.put(numbers, how.stream);
                (void)fusion.add(whole.span(), "whole");
            }
            if (t == 30 && step == 1) {
                done.wait();
                expect(done.test(), "what was waited for is done");
            }
        }
        fusion.flush();
        for (std::size_t t = 0; t < sizes.size(); ++t) {
            auto const got = tensors[t]->get(how.stream);
            for (std::size_t i = 0; i < sizes[t]; ++i) {
                auto sum = some_float(0, salt + t, i);
                for (int r = 1; r < comm.size(); ++r) { sum += some_float(r, salt + t, i); }
                expect(std::bit_cast<std::uint32_t>(got[i]) == std::bit_cast<std::uint32_t>(sum),
                       [&] {
                           return "tensor " + std::to_string(t) + ", element " + std::to_string(i) +
                                  ", step " + std::to_string(step);
                       });
            }
        }
        auto const p = comm.size();
        expect(whole.get(how.stream) == std::vector<std::int64_t>(33, p * (p - 1) / 2 + p * step),
               "whole numbers");
    }
}

/// 16 bits on the wire: whole numbers that these hold come back as they should.
template <class Comm>
void fused_compressed(Comm& comm, machine& m, void* stream) {
    for (auto const threshold : {std::size_t{0}, std::size_t{1} << 20}) {
        for (auto const how :
             {coll::compress<float, coll::bfloat16>(), coll::compress<float, coll::float16>()}) {
            coll::fusion_buffer fusion(
                comm,
                {.threshold = threshold, .op = coll::average{}, .stream = stream, .compress = how});
            std::vector<std::unique_ptr<device_tensor<float>>> tensors;
            for (std::size_t t = 0; t < 12; ++t) {
                auto const n = 1 + scramble(t) % 500;
                std::vector<float> v(n);
                for (std::size_t i = 0; i < n; ++i) {
                    v[i] = static_cast<float>(comm.rank() + 1) * static_cast<float>((i + t) % 32);
                }
                tensors.push_back(std::make_unique<device_tensor<float>>(m, n, t % 4));
                tensors.back()->put(v, stream);
                (void)fusion.add(tensors.back()->span());
            }
            device_tensor<double> other(m, 3);
            other.put({0.5, 1, 1.5}, stream);
            (void)fusion.add(other.span());
            fusion.flush();
            for (std::size_t t = 0; t < tensors.size(); ++t) {
                auto const got = tensors[t]->get(stream);
                for (std::size_t i = 0; i < got.size(); ++i) {
                    auto const sums = comm.size() * (comm.size() + 1) / 2;
                    expect(got[i] * static_cast<float>(comm.size()) ==
                               static_cast<float>(sums) * static_cast<float>((i + t) % 32),
                           "a compressed average");
                }
            }
            expect(other.get(stream) == std::vector<double>{0.5, 1, 1.5}, "not compressed");
        }
    }
}

/// A step like the one before takes no memory, and two kernels per bucket beside its reduction.
template <class Comm>
void fused_steady(Comm& comm, machine& m, void* stream) {
    std::vector<std::unique_ptr<device_tensor<float>>> tensors;
    for (std::size_t t = 0; t < 300; ++t) {
        tensors.push_back(std::make_unique<device_tensor<float>>(m, 64, t % 3));
    }
    coll::fusion_buffer fusion(comm, {.stream = stream});
    auto const step = [&] {
        for (auto const& t : tensors) { (void)fusion.add(t->span(), "tensor"); }
        fusion.flush();
    };
    for (int i = 0; i < 3; ++i) { step(); }
    comm.barrier();
    auto const live = m.live_allocations();
    auto const kernels = m.kernels.load();
    auto const events = m.events.load();
    comm.barrier();
    for (int i = 0; i < 5; ++i) { step(); }
    comm.barrier();
    expect(m.live_allocations() == live, "no memory is taken");
    expect(m.events == events, "no event is made");
    if (comm.size() == 1) {
        expect(m.kernels - kernels == 5 * 3,
               [&] { return std::to_string(m.kernels - kernels) + " kernels for five buckets"; });
    }
    comm.barrier();
}

/// What one rank does otherwise is told to all, with the tensor's name.
template <class Comm>
void fused_dispute(Comm& comm, machine& m, void* stream) {
    device_tensor<float> a(m, 100), b(m, 50);
    auto apart = comm.split(0);
    coll::fusion_buffer fusion(comm, {.stream = stream});
    apart.barrier();  // so that no rank is in the constructor still when `comm` breaks
    auto const odd = comm.rank() == comm.size() - 1;
    auto const text = expect_throw<coll::mismatch_error>(
        [&] {
            (void)fusion.add(a.span(), "a");
            (void)fusion.add(odd ? b.span() : a.span(), "weights");
            fusion.flush();
        },
        "another size");
    auto const last = std::to_string(comm.size() - 1);
    for (auto const& part :
         {std::string("differs in its size"), std::string("rank 0 has 'weights' (100 x float)"),
          "rank " + last + " has 'weights' (50 x float)"}) {
        expect(text.find(part) != text.npos, [&] { return part + " in: " + text; });
    }
    expect_throw<coll::error>([&] { fusion.flush(); }, "broken");
}

/// Runs f(comm, m, stream) on a stream of the rank's own, and on the default one.
template <class F>
auto with_streams(int devices, F const& f) {
    return [devices, &f](auto& comm, machine& m) {
        m.use(comm.rank() % devices);
        auto* const stream = m.make_stream();
        f(comm, m, nullptr);
        f(comm, m, stream);
        m.destroy_stream(stream);
    };
}

}  // namespace fake
