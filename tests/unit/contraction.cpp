// SPDX-License-Identifier: BSD-3-Clause
// Compiled for a machine that can fuse a multiplication with an addition: the library's products
// must keep the bits they have on one that cannot, in vector loops and in their tails.
#include <collectives/space/host.hpp>

#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <random>
#include <vector>

namespace coll = collectives;

namespace {

template <class F>
F times(F a, F b) {
    F volatile product = a * b;  // goes through memory, and is rounded there
    return product;
}

template <class F>
std::complex<F> textbook(std::complex<F> a, std::complex<F> b) {
    return {times(a.real(), b.real()) - times(a.imag(), b.imag()),
            times(a.real(), b.imag()) + times(a.imag(), b.real())};
}

template <class T>
std::vector<T> random_numbers(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-2, 2);
    std::vector<T> result(count);
    for (auto& x : result) {
        if constexpr (coll::complex_number<T>) {
            using part = typename T::value_type;
            x = {static_cast<part>(number(random)), static_cast<part>(number(random))};
        } else {
            x = static_cast<T>(number(random));
        }
    }
    return result;
}

int failures = 0;

void expect(bool holds, char const* what) {
    std::printf("%-6s %s\n", holds ? "ok" : "WRONG", what);
    failures += holds ? 0 : 1;
}

template <class F>
void complex_product(coll::host::isa level) {
    auto const a = random_numbers<std::complex<F>>(1003, 1);
    auto const b = random_numbers<std::complex<F>>(1003, 2);
    auto by_operator = a;
    auto by_reducer = a;
    std::array<void const*, 2> const sources{a.data(), b.data()};
    coll::product const op;
    for (std::size_t i = 0; i < a.size(); ++i) { by_operator[i] = op(a[i], b[i]); }
    coll::host::make_reducer<std::complex<F>>(op, level).run(by_reducer.data(), sources.data(), 2,
                                                             a.size());
    auto right = a;
    std::size_t fused = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        right[i] = textbook(a[i], b[i]);
        auto const real = std::fma(a[i].real(), b[i].real(), -times(a[i].imag(), b[i].imag()));
        fused += real != right[i].real() ? 1U : 0U;
    }
    expect(fused > 100, "fusing would be seen with these numbers");
    expect(by_operator == right, "complex product, operator in a loop");
    expect(by_reducer == right, "complex product, reducer");
}

template <class F>
void factor(coll::host::isa level) {
    auto const a = random_numbers<F>(1003, 3);
    auto const b = random_numbers<F>(1003, 4);
    coll::premultiplied_sum<F> const op{static_cast<F>(1.1)};
    auto right = a;
    auto by_reducer = a;
    auto by_operator = a;
    for (std::size_t i = 0; i < a.size(); ++i) {
        right[i] = times(op.factor, a[i]) + times(op.factor, b[i]);
        by_operator[i] = op(op.prepare(a[i]), op.prepare(b[i]));
    }
    std::array<void const*, 2> const sources{a.data(), b.data()};
    coll::host::make_reducer<F>(op, level).raw(by_reducer.data(), sources.data(), 2, a.size());
    expect(by_operator == right, "sum with a factor, operator in a loop");
    expect(by_reducer == right, "sum with a factor, reducer");
}

}  // namespace

int main() {
#if defined(__x86_64__)  // all 64-bit Arm processors can
    if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2")) {
        std::puts("skipped: this machine cannot fuse");
        return 77;
    }
#endif
    for (auto const level :
         {coll::host::isa::portable, coll::host::isa::avx2, coll::host::isa::avx512}) {
        if (!coll::host::supports(level)) { continue; }
        std::puts(coll::host::isa_name(level).data());
        complex_product<float>(level);
        complex_product<double>(level);
        factor<float>(level);
        factor<double>(level);
    }
    return failures == 0 ? 0 : 1;
}
