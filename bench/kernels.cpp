// SPDX-License-Identifier: BSD-3-Clause
// The host's kernels: each type, operator, number of sources, level of instructions and size, and
// each destination. `--benchmark_filter=REGEX` picks some: names are
// KERNEL<type>/operator/sources/level/bytes per array/destination.
#include <collectives/space/host.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace coll = collectives;
namespace host = collectives::host;

namespace {

constexpr auto read_soon = coll::destination::read_soon;
constexpr auto not_read_soon = coll::destination::not_read_soon;

constexpr std::size_t page = 4096;

/// Arrays whose pages are there, and hold small numbers.
template <class T>
std::vector<std::vector<T>> make_arrays(int n, std::size_t count) {
    std::vector<std::vector<T>> arrays;
    for (int k = 0; k < n; ++k) {
        auto& array = arrays.emplace_back(count);
        for (std::size_t i = 0; i < count; ++i) {
            auto const small = static_cast<float>((i + static_cast<std::size_t>(k)) % 5) / 4.0F;
            if constexpr (coll::complex_number<T>) {
                array[i] = T(static_cast<typename T::value_type>(small));
            } else {
                array[i] = static_cast<T>(small);
            }
        }
    }
    return arrays;
}

void count_work(benchmark::State& state, std::size_t items, std::size_t bytes) {
    auto const turns = static_cast<std::int64_t>(state.iterations());
    state.SetItemsProcessed(turns * static_cast<std::int64_t>(items));
    state.SetBytesProcessed(turns * static_cast<std::int64_t>(bytes));
}

/// As executors do it: pass(first, bytes) over all bytes, 256 KiB at a time.
template <class Pass>
void in_passes(std::size_t all, Pass const& pass) {
    constexpr std::size_t most = 256 * 1024;
    for (std::size_t first = 0; first < all; first += most) {
        pass(first, std::min(most, all - first));
    }
    benchmark::ClobberMemory();
}

template <class T, class Op>
void reduce(benchmark::State& state, host::isa level, int n, std::size_t bytes,
            coll::destination to) {
    Op const op{};
    auto const reducer = host::make_reducer<T>(op, level);
    auto const count = bytes / sizeof(T);
    auto arrays = make_arrays<T>(n + 1, count);
    std::vector<void const*> sources(static_cast<std::size_t>(n));
    for (auto _ : state) {
        in_passes(bytes, [&](std::size_t first, std::size_t here) {
            auto const at = first / sizeof(T);
            for (std::size_t k = 0; k < sources.size(); ++k) { sources[k] = arrays[k].data() + at; }
            reducer.run(arrays.back().data() + at, sources.data(), n, here / sizeof(T), 0, to);
        });
    }
    count_work(state, count, bytes * static_cast<std::size_t>(n + 1));
}

std::uint8_t* on_a_page(std::vector<std::uint8_t>& array) {
    return array.data() + -reinterpret_cast<std::uintptr_t>(array.data()) % page;
}

/// From where a page begins to `offset` bytes after it.
void copy(benchmark::State& state, std::size_t bytes, std::size_t offset, coll::destination to) {
    auto arrays = make_arrays<std::uint8_t>(2, bytes + 2 * page);
    auto* const dst = on_a_page(arrays[1]) + offset;
    auto const* const src = on_a_page(arrays[0]);
    for (auto _ : state) {
        in_passes(bytes, [&](std::size_t first, std::size_t here) {
            host::copy(dst + first, src + first, here, to);
        });
    }
    count_work(state, bytes, 2 * bytes);
}

std::string size_name(std::size_t bytes) {
    return bytes < 1 << 20 ? std::to_string(bytes >> 10) + "KiB"
                           : std::to_string(bytes >> 20) + "MiB";
}
std::string destination_name(coll::destination to) {
    return to == read_soon ? "" : "/not_read_soon";
}

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

template <class T, class Op>
void add_reductions() {
    for (int const n : {2, 3, 4, 8}) {
        for (auto const level : {host::isa::portable, host::isa::avx2, host::isa::avx512}) {
            if (!host::supports(level)) { continue; }
            auto const add = [=](std::size_t bytes, coll::destination to) {
                auto const name = "reduce<" + std::string(coll::type_name<T>()) + ">/" +
                                  std::string(coll::op_name<Op>()) + "/" + std::to_string(n) + "/" +
                                  std::string(host::isa_name(level)) + "/" + size_name(bytes) +
                                  destination_name(to);
                benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
                    reduce<T, Op>(state, level, n, bytes, to);
                });
            };
            for (auto const bytes : {4 * kib, 256 * kib, 1 * mib, 16 * mib, 64 * mib}) {
                add(bytes, read_soon);
                if (bytes >= mib) { add(bytes, not_read_soon); }
            }
        }
    }
}

template <class T>
void add_arithmetic() {
    add_reductions<T, coll::sum>();
    add_reductions<T, coll::product>();
    add_reductions<T, coll::average>();
    if constexpr (!coll::complex_number<T>) {
        add_reductions<T, coll::min>();
        add_reductions<T, coll::max>();
        add_reductions<T, coll::logical_and>();
        add_reductions<T, coll::logical_or>();
    }
}

template <class T>
void add_integer() {
    add_arithmetic<T>();
    add_reductions<T, coll::bit_and>();
    add_reductions<T, coll::bit_or>();
    add_reductions<T, coll::bit_xor>();
}

}  // namespace

int main(int argc, char** argv) {
    add_integer<std::int8_t>();
    add_integer<std::uint8_t>();
    add_integer<std::int16_t>();
    add_integer<std::uint16_t>();
    add_integer<std::int32_t>();
    add_integer<std::uint32_t>();
    add_integer<std::int64_t>();
    add_integer<std::uint64_t>();
    add_arithmetic<float>();
    add_arithmetic<double>();
    add_arithmetic<std::complex<float>>();
    add_arithmetic<std::complex<double>>();
    add_arithmetic<coll::float16>();
    add_arithmetic<coll::bfloat16>();
    add_arithmetic<coll::float8_e4m3>();
    add_arithmetic<coll::float8_e5m2>();
    for (auto const to : {read_soon, not_read_soon}) {
        for (auto const bytes :
             {4 * kib, 16 * kib, 256 * kib, 1 * mib, 4 * mib, 16 * mib, 64 * mib}) {
            for (auto const offset : {0UL, 4UL, 16UL}) {
                auto const name = "copy/" + size_name(bytes) + destination_name(to) +
                                  (offset == 0 ? "" : "/offset_" + std::to_string(offset));
                benchmark::RegisterBenchmark(
                    name.c_str(), [=](benchmark::State& state) { copy(state, bytes, offset, to); });
            }
        }
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) { return 2; }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
