// SPDX-License-Identifier: BSD-3-Clause
// The elements that ranks pass and must get, each linear in a 64-bit number, so that sums over
// ranks need no loop over ranks and large vectors stay cheap.
#pragma once

#include <collectives/collectives.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace conformance {

namespace coll = collectives;

namespace detail {

/// Calls that no compiler replaces with instructions of its own, which sanitizers would not see.
inline void* (*volatile copy)(void*, void const*, std::size_t) = std::memmove;
inline int (*volatile compare)(void const*, void const*, std::size_t) = std::memcmp;

}  // namespace detail

/// An unsigned number of N bytes and no alignment, with `add` as its operator.
template <std::size_t N>
struct word {
    std::array<std::uint8_t, N> bytes;
    friend bool operator==(word const&, word const&) = default;
};

template <class T>
struct linear {  // the unsigned integers
    static T from(std::uint64_t x) { return static_cast<T>(x); }
    static constexpr coll::sum op{};
};
template <std::size_t N>
struct linear<word<N>> {
    static constexpr std::size_t low = N < 8 ? N : 8;
    static word<N> from(std::uint64_t x) {  // the bytes of x over and over
        word<N> w{};
        for (std::size_t i = 0; i < low; ++i) {
            w.bytes[i] = static_cast<std::uint8_t>(x >> (8 * i));
        }
        for (auto done = low; done < N; done *= 2) {
            detail::copy(w.bytes.data() + done, w.bytes.data(), std::min(done, N - done));
        }
        return w;
    }
    static std::uint64_t number(word<N> const& w) {
        std::uint64_t x = 0;
        for (std::size_t i = 0; i < low; ++i) { x |= std::uint64_t{w.bytes[i]} << (8 * i); }
        return x;
    }
    struct add {
        word<N> operator()(word<N> const& a, word<N> const& b) const {
            return from(number(a) + number(b));
        }
    };
    static constexpr auto op = coll::commutative(add{});
};

/// The numbers first, first + step, ... modulo 2^64.
struct progression {
    std::uint64_t first, step;
};

/// Contributions of a rank from global index i on, in call `salt`, and their sums over all ranks.
constexpr progression contributions(std::uint64_t salt, int rank, std::size_t i) {
    auto const r = static_cast<std::uint64_t>(rank);
    auto const slope = 0x9e3779b97f4a7c15ULL;
    return {(i * slope + salt) * (r + 1) + r * 0x2545f4914f6cdd1dULL, slope * (r + 1)};
}
constexpr progression totals(std::uint64_t salt, int size, std::size_t i) {
    auto const p = static_cast<std::uint64_t>(size);
    auto const slope = 0x9e3779b97f4a7c15ULL;
    return {(i * slope + salt) * (p * (p + 1) / 2) + p * (p - 1) / 2 * 0x2545f4914f6cdd1dULL,
            slope * (p * (p + 1) / 2)};
}
constexpr std::uint64_t contribution(std::uint64_t salt, int rank, std::size_t i) {
    return contributions(salt, rank, i).first;
}

namespace detail {

/// Elements made in memory that no one else has: sanitizers need not look, and would take most of a
/// test's time.
template <class T>
__attribute__((no_sanitize("address", "thread", "undefined"))) void make(progression const& p,
                                                                         std::size_t begin,
                                                                         std::size_t n, T* to) {
    auto x = p.first + begin * p.step;
    for (std::size_t i = 0; i < n; ++i, x += p.step) {
        if constexpr (std::is_arithmetic_v<T>) {
            to[i] = static_cast<T>(x);
        } else {
            to[i] = linear<T>::from(x);
        }
    }
}

/// Calls piece(begin, elements, how many) for n elements, part by part.
template <class T, class Piece>
void in_pieces(progression const& p, std::size_t n, Piece&& piece) {
    constexpr std::size_t most = sizeof(T) < 8'192 ? 8'192 / sizeof(T) : 1;
    std::array<T, most> made;
    for (std::size_t begin = 0; begin < n; begin += most) {
        auto const length = std::min(most, n - begin);
        make(p, begin, length, made.data());
        piece(begin, made.data(), length);
    }
}

}  // namespace detail

/// Writes n elements.
template <class T>
void write(progression const& p, std::size_t n, T* to) {
    detail::in_pieces<T>(p, n, [to](std::size_t begin, T const* made, std::size_t length) {
        detail::copy(to + begin, made, length * sizeof(T));
    });
}

/// The first of n elements that is another one than it must be, or n. Time O(n).
template <class T>
std::size_t first_wrong(progression const& p, std::size_t n, T const* got) {
    auto wrong = n;
    detail::in_pieces<T>(p, n, [&](std::size_t begin, T const* made, std::size_t length) {
        if (detail::compare(made, got + begin, length * sizeof(T)) == 0 || wrong < n) { return; }
        wrong = begin + static_cast<std::size_t>(
                            std::mismatch(made, made + length, got + begin).first - made);
    });
    return wrong;
}
template <class T>
bool holds(std::span<T> got, progression const& p) {
    return first_wrong(p, got.size(), got.data()) == got.size();
}

}  // namespace conformance
