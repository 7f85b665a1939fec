// SPDX-License-Identifier: BSD-3-Clause
// Every kernel against a plain loop over elements that no compiler can fuse: at each level of
// instructions of this machine, from and to each offset, with every kind of tail.
#pragma once

#include <collectives/space/host.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace kernels {

namespace coll = collectives;
namespace host = collectives::host;

inline std::vector<host::isa> levels() {
    std::vector<host::isa> all;
    for (auto const level : {host::isa::portable, host::isa::avx2, host::isa::avx512}) {
        if (host::supports(level)) { all.push_back(level); }
    }
    return all;
}

/// Goes through memory, and is rounded there.
template <class T>
T rounded(T x) {
    T volatile there = x;
    return there;
}

/// What an operator does with two elements, a contribution and a result, in a text of its own.
template <class Op>
struct plain {
    template <class T>
    static T apply(Op const& op, T a, T b) {
        using word = std::uint64_t;
        if constexpr (std::is_same_v<T, bool>) {
            bool const both = std::is_same_v<Op, coll::product> || std::is_same_v<Op, coll::min> ||
                              std::is_same_v<Op, coll::bit_and> ||
                              std::is_same_v<Op, coll::logical_and>;
            return std::is_same_v<Op, coll::bit_xor> ? a != b : both ? a && b : a || b;
        } else if constexpr (std::is_same_v<Op, coll::product>) {
            if constexpr (std::integral<T>) {
                return static_cast<T>(static_cast<word>(a) * static_cast<word>(b));
            } else if constexpr (coll::complex_number<T>) {
                return T(rounded(a.real() * b.real()) - rounded(a.imag() * b.imag()),
                         rounded(a.real() * b.imag()) + rounded(a.imag() * b.real()));
            } else {
                return rounded(a * b);
            }
        } else if constexpr (std::is_same_v<Op, coll::min> || std::is_same_v<Op, coll::max>) {
            bool const smallest = std::is_same_v<Op, coll::min>;
            if constexpr (std::floating_point<T>) {
                if (std::isnan(a) || std::isnan(b)) { return std::isnan(a) ? a : b; }
                if (a == b) { return std::signbit(a) == smallest ? a : b; }
            }
            return (a < b) == smallest ? a : b;
        } else if constexpr (std::is_same_v<Op, coll::bit_and>) {
            return static_cast<T>(a & b);
        } else if constexpr (std::is_same_v<Op, coll::bit_or>) {
            return static_cast<T>(a | b);
        } else if constexpr (std::is_same_v<Op, coll::bit_xor>) {
            return static_cast<T>(a ^ b);
        } else if constexpr (std::is_same_v<Op, coll::logical_and>) {
            return T(number(a) != 0 && number(b) != 0 ? 1.0F : 0.0F);
        } else if constexpr (std::is_same_v<Op, coll::logical_or>) {
            return T(number(a) != 0 || number(b) != 0 ? 1.0F : 0.0F);
        } else if constexpr (std::integral<T>) {
            return static_cast<T>(static_cast<word>(a) + static_cast<word>(b));
        } else {
            static_cast<void>(op);
            return a + b;
        }
    }
    template <class T>
    static T prepare(Op const& op, T x) {
        if constexpr (requires { op.factor; }) {
            using factor = std::remove_cvref_t<decltype(op.factor)>;
            return plain<coll::product>::apply(coll::product{}, static_cast<T>(factor(op.factor)),
                                               x);
        } else {
            return x;
        }
    }
    template <class T>
    static T finish(T total, int size) {
        if constexpr (!std::is_same_v<Op, coll::average>) {
            return total;
        } else if constexpr (std::unsigned_integral<T>) {
            return static_cast<T>(std::uint64_t{total} / static_cast<std::uint64_t>(size));
        } else if constexpr (std::signed_integral<T>) {
            return static_cast<T>(std::int64_t{total} / static_cast<std::int64_t>(size));
        } else if constexpr (coll::complex_number<T>) {
            auto const n = static_cast<typename T::value_type>(size);
            return T(total.real() / n, total.imag() / n);
        } else {
            return total / static_cast<T>(size);
        }
    }

private:
    template <class T>
    static auto number(T x) {
        if constexpr (coll::narrow_float<T>) {
            return static_cast<float>(x);
        } else {
            return x;
        }
    }
};

/// The same bits, NaN payloads aside.
template <class T>
bool same(T a, T b) {
    if constexpr (coll::complex_number<T>) {
        return same(a.real(), b.real()) && same(a.imag(), b.imag());
    } else if constexpr (coll::narrow_float<T>) {
        return a.bits() == b.bits() || (a != a && b != b);
    } else if constexpr (std::floating_point<T>) {
        return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
    } else {
        return a == b;
    }
}

/// Contribution i of source k: all kinds of numbers, in no order.
template <class T>
T contribution(int k, std::size_t i) {
    auto x = (static_cast<std::uint64_t>(k) << 32 | i) * 0x9e3779b97f4a7c15U;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9U;
    x ^= x >> 32;
    if constexpr (std::integral<T>) {
        return x % 6 == 0 ? T(0) : static_cast<T>(x >> 3);
    } else if constexpr (coll::complex_number<T>) {
        using part = typename T::value_type;
        return T(static_cast<part>(static_cast<int>(x % 2001) - 1000) / 7,
                 static_cast<part>(static_cast<int>(x / 2001 % 2001) - 1000) / 3);
    } else {
        using wide = std::conditional_t<coll::narrow_float<T>, float, T>;
        using limits = std::numeric_limits<wide>;
        if constexpr (coll::narrow_float<T>) {  // any bits: subnormal numbers, too
            if (x >> 63 == 0) { return T::from_bits(static_cast<typename T::bits_type>(x >> 7)); }
        }
        switch (x % 32) {
            case 0: return T(wide(0));
            case 1: return T(-wide(0));
            case 2: return T(limits::infinity());
            case 3: return T(-limits::infinity());
            case 4: return T(limits::quiet_NaN());
            case 5: return T(limits::denorm_min() * wide(1000));
            case 6: return T(wide(1e-6));  // no normal number of float16
            case 7: return T(wide(65000));
            default: return T(static_cast<wide>(static_cast<int>(x / 32 % 2001) - 1000) / wide(7));
        }
    }
}

/// One pass of `count` elements whose arrays begin `offset` and so on bytes after a cache line.
template <class T>
class pass {
public:
    pass(int n, std::size_t count, std::size_t offset)
        : n_(n),
          count_(count),
          offset_(offset),
          stride_((count * sizeof(T) / 64 + 3) * 64),
          bytes_(stride_ * static_cast<std::size_t>(n + 2), std::byte{0x5a}) {}

    bool raw() const { return offset_ % 2 == 0; }
    int finish_size() const { return offset_ % 3 == 0 ? 0 : n_; }
    T source(int k, std::size_t i) const { return contribution<T>(k, i + offset_); }

    /// `right(i)` is the definition of element i.
    void check(coll::reducer const& reducer, host::isa level, auto const& right) {
        auto* const line =
            bytes_.data() + (64 - reinterpret_cast<std::uintptr_t>(bytes_.data()) % 64) % 64;
        auto* const dst = line + offset_;
        reduce(reducer, line, dst);
        std::size_t wrong = count_;
        for (std::size_t i = count_; i-- > 0;) {
            T got;
            std::memcpy(&got, dst + i * sizeof(T), sizeof(T));
            if (!same(got, right(i))) { wrong = i; }
        }
        for (std::size_t g = 0; g < 16; ++g) {
            bool const whole = dst[count_ * sizeof(T) + g] == std::byte{0x5a} &&
                               (g >= offset_ || line[g] == std::byte{0x5a});
            if (!whole) { wrong = count_ + 1; }
        }
        if (wrong != count_) { report(reducer, level, wrong); }
    }

private:
    void reduce(coll::reducer const& reducer, std::byte* line, std::byte* dst) const {
        std::vector<void const*> sources;
        for (int k = 0; k < n_; ++k) {
            auto const where = static_cast<std::size_t>(k + 1);
            auto* const at = line + stride_ * where + (offset_ * 5 + where * 3) % 16;
            for (std::size_t i = 0; i < count_; ++i) {
                auto const x = source(k, i);
                std::memcpy(at + i * sizeof(T), &x, sizeof(T));
            }
            sources.push_back(at);
        }
        auto const to =
            offset_ % 4 < 2 ? coll::destination::read_soon : coll::destination::not_read_soon;
        (raw() ? reducer.raw(dst, sources.data(), n_, count_, finish_size(), to)
               : reducer.run(dst, sources.data(), n_, count_, finish_size(), to));
    }
    void report(coll::reducer const& reducer, host::isa level, std::size_t wrong) const {
        FAIL(std::string(host::isa_name(level)), ": ", std::string(reducer.op_name), " of ", n_,
             " sources of ", count_, " ", std::string(reducer.type_name), ", offset ", offset_,
             std::string(wrong > count_ ? ", bytes around " : ", element "), wrong);
    }

    int n_;
    std::size_t count_;
    std::size_t offset_;
    std::size_t stride_;
    std::vector<std::byte> bytes_;
};

template <class T, class Op>
void check_pass(Op const& op, host::isa level, int n, std::size_t count, std::size_t offset) {
    using acc = std::conditional_t<coll::detail::accumulates_wide<Op>, coll::accumulator_t<T>, T>;
    pass<T> p(n, count, offset);
    p.check(host::make_reducer<T>(op, level), level, [&](std::size_t i) {
        auto const read = [&](int k) {
            auto const x = static_cast<acc>(p.source(k, i));
            // What is prepared is rounded to T before it is added.
            return p.raw() ? static_cast<acc>(static_cast<T>(plain<Op>::prepare(op, x))) : x;
        };
        auto total = read(0);
        for (int k = 1; k < n; ++k) { total = plain<Op>::apply(op, total, read(k)); }
        if (n == 1 && p.finish_size() == 1 && host::detail::gives_truth_values<Op>) {
            total = plain<Op>::apply(op, total, total);
        }
        return static_cast<T>(p.finish_size() > 0 ? plain<Op>::finish(total, p.finish_size())
                                                  : total);
    });
}

template <class T, class Op>
void check(Op const& op) {
    for (auto const level : levels()) {
        for (std::size_t offset = 0; offset < 16; ++offset) {
            int turn = static_cast<int>(offset);
            for (std::size_t const count : {1U, 5U, 15U, 31U, 63U, 64U, 65U, 127U, 200U, 2500U}) {
                // All numbers of sources meet all offsets and tails.
                for (int const n : {1 + turn % 3, 4 + turn % 2 * 4}) {
                    if (count < 2500 || offset % 4 == 1) {
                        check_pass<T>(op, level, n, count, offset);
                    }
                }
                ++turn;
            }
        }
    }
}

}  // namespace kernels
