// SPDX-License-Identifier: BSD-3-Clause
// The body of a kernel that folds is a plain function, which a compiler for the host takes too. It
// folds n arrays from the left, element by element, in one pass. It never waits for anything.
#pragma once

#include <collectives/core/op.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace collectives::inline v0::cuda {

/// Sources, and destinations, of one kernel at most: its arguments are passed by value.
inline constexpr int most_operands = 128;

namespace detail {

inline constexpr std::size_t pack_bytes = 16;

/// What one access moves where addresses allow it.
struct alignas(pack_bytes) pack {
    std::uint32_t words[4];
};

/// Elements of one pack.
template <class T>
struct lanes {
    T values[pack_bytes / sizeof(T)];
};

template <class T>
inline constexpr bool fills_packs =
    pack_bytes % sizeof(T) == 0 && std::is_default_constructible_v<T>;

constexpr pack load_pack(std::byte const* from) {
    pack result{};
    __builtin_memcpy(&result, __builtin_assume_aligned(from, pack_bytes), pack_bytes);
    return result;
}
constexpr void store_pack(std::byte* to, pack const& value) {
    __builtin_memcpy(__builtin_assume_aligned(to, pack_bytes), &value, pack_bytes);
}

/// Reads a T at any address; T need not have a default constructor.
template <class T>
constexpr T load_element(std::byte const* from) {
    std::array<std::byte, sizeof(T)> bytes;
    __builtin_memcpy(bytes.data(), from, sizeof(T));
    return std::bit_cast<T>(bytes);
}
template <class T>
constexpr void store_element(std::byte* to, T const& value) {
    __builtin_memcpy(to, &value, sizeof(T));
}

/// How the workers, each of which has a number below `all`, share `count` things.
struct worker {
    std::size_t number = 0, all = 1;
};
template <class Visit>
constexpr void share(worker w, std::size_t count, Visit const& visit) {
#if defined(__CUDACC__)  // unrolled, some need more registers than there are
#pragma unroll 1
#endif
    for (auto i = w.number; i < count; i += w.all) { visit(i); }
}

/// Of arrays: the elements in front of the first pack, and the packs. No packs where elements do
/// not fill them, or where the arrays stand differently in them.
struct packing {
    std::size_t before = 0, packs = 0;
};
template <class T>
class packing_finder {
public:
    constexpr void add(void const* array) {
        auto const here = reinterpret_cast<std::uintptr_t>(array) % pack_bytes;
        fits_ = fits_ && (first_ || here == beyond_);
        beyond_ = here;
        first_ = false;
    }
    constexpr packing of(std::size_t count) const {
        auto const bytes = (pack_bytes - beyond_) % pack_bytes;
        if (!fits_ || bytes % sizeof(T) != 0) { return {}; }
        auto const before = bytes / sizeof(T) < count ? bytes / sizeof(T) : count;
        return {before, (count - before) * sizeof(T) / pack_bytes};
    }

private:
    bool fits_ = fills_packs<T>;
    bool first_ = true;
    std::uintptr_t beyond_ = 0;
};

}  // namespace detail

/// Everything a kernel that folds is told. Each element's result depends on the elements alone.
template <class Op, class T>
struct fold_body {
    using acc = collectives::detail::accumulator<Op, T>;

    Op op;
    std::size_t count = 0;   // elements
    std::size_t before = 0;  // elements in front of the first pack
    std::size_t packs = 0;
    int n = 1, outputs = 1;
    int finish_size = 0;
    bool raw = false;
    std::uint32_t zero = 0;  // known at run time alone: ptxas fuses products and sums it sees
    std::byte const* sources[most_operands] = {};
    std::byte* to[most_operands] = {};

    constexpr void operator()(detail::worker w) const {
        barrier const rounded(zero);
        if constexpr (detail::fills_packs<T>) {
            detail::share(w, packs, [&](std::size_t i) {
                fold_pack(before * sizeof(T) + i * detail::pack_bytes, rounded);
            });
        }
        auto const packed = packs * each;
        detail::share(w, count - packed, [&](std::size_t i) {  // in front of the packs, and behind
            fold_element(i < before ? i : i + packed, rounded);
        });
    }

private:
    using barrier = collectives::detail::rounding_barrier;
    static constexpr std::size_t each =
        detail::fills_packs<T> ? detail::pack_bytes / sizeof(T) : 1;  // elements of a pack
    using sums_of_pack = std::array<acc, each>;

    constexpr acc widened(T const& x, barrier rounded) const {
        auto value = static_cast<acc>(x);
        if constexpr (collectives::detail::prepares<Op, acc>) {
            if (raw) {
                if constexpr (collectives::detail::rounds_when_prepared<Op, acc>) {
                    value = op.prepare(value, rounded);
                } else {
                    value = op.prepare(value);
                }
                if constexpr (!std::is_same_v<acc, T>) {  // as if prepared in a pass of its own
                    value = static_cast<acc>(static_cast<T>(value));
                }
            }
        }
        return value;
    }
    constexpr acc applied(acc const& a, acc const& b, barrier rounded) const {
        if constexpr (collectives::detail::rounds_before_adding<Op, acc>) {
            return static_cast<acc>(op(a, b, rounded));
        } else {
            return static_cast<acc>(op(a, b));
        }
    }
    constexpr T narrowed(acc value) const {
        if constexpr (collectives::detail::finishes<Op, acc>) {
            if (finish_size > 0) { value = op.finish(value, finish_size); }
        }
        return static_cast<T>(value);
    }

    constexpr void fold_element(std::size_t i, barrier rounded) const {
        auto sum = widened(detail::load_element<T>(sources[0] + i * sizeof(T)), rounded);
        for (int k = 1; k < n; ++k) {
            auto const next = widened(detail::load_element<T>(sources[k] + i * sizeof(T)), rounded);
            sum = applied(sum, next, rounded);
        }
        auto const result = narrowed(sum);
        for (int k = 0; k < outputs; ++k) { detail::store_element(to[k] + i * sizeof(T), result); }
    }

    /// Loads a few sources at once, since a device is quick only with many loads under way. The
    /// loops are unrolled, or their values would be kept in memory.
    constexpr void fold_pack(std::size_t at, barrier rounded) const {
        // More would spill registers.
        constexpr int at_once =
            collectives::detail::prepares<Op, acc> && sizeof(acc) > sizeof(T) ? 2 : 4;
        auto sums = widened_lanes(detail::load_pack(sources[0] + at), rounded);
        for (int first = 1; first < n; first += at_once) {
            detail::pack loaded[static_cast<std::size_t>(at_once)] = {};
#if defined(__CUDACC__)
#pragma unroll
#endif
            for (int j = 0; j < at_once; ++j) {
                if (first + j < n) { loaded[j] = detail::load_pack(sources[first + j] + at); }
            }
#if defined(__CUDACC__)
#pragma unroll
#endif
            for (int j = 0; j < at_once; ++j) {
                if (first + j < n) { sums = applied_lanes(sums, loaded[j], rounded); }
            }
        }
        detail::lanes<T> results{};
#if defined(__CUDACC__)
#pragma unroll
#endif
        for (std::size_t e = 0; e < each; ++e) { results.values[e] = narrowed(sums[e]); }
        auto const result = std::bit_cast<detail::pack>(results);
        for (int k = 0; k < outputs; ++k) { detail::store_pack(to[k] + at, result); }
    }
    constexpr sums_of_pack widened_lanes(detail::pack const& from, barrier rounded) const {
        auto const elements = std::bit_cast<detail::lanes<T>>(from);
        sums_of_pack result{};
#if defined(__CUDACC__)
#pragma unroll
#endif
        for (std::size_t e = 0; e < each; ++e) { result[e] = widened(elements.values[e], rounded); }
        return result;
    }
    constexpr sums_of_pack applied_lanes(sums_of_pack sums, detail::pack const& from,
                                         barrier rounded) const {
        auto const next = widened_lanes(from, rounded);
#if defined(__CUDACC__)
#pragma unroll
#endif
        for (std::size_t e = 0; e < each; ++e) { sums[e] = applied(sums[e], next[e], rounded); }
        return sums;
    }
};

}  // namespace collectives::cuda
