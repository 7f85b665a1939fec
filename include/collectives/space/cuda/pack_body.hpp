// SPDX-License-Identifier: BSD-3-Clause
// What the kernel does that packs a bucket, and unpacks it, as a plain function like the others.
#pragma once

#include <collectives/core/device_copy.hpp>
#include <collectives/space/cuda/body.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace collectives::inline v0::cuda {

/// Workers that share a range: what stands together is read together.
inline constexpr std::size_t workers_per_range = 32;

/// Tensors of Own, bucket of Wire, which is no larger: explicit conversion makes one of the other.
/// The bucket is aligned for Wire; tensors may stand anywhere.
template <class Own, class Wire>
struct pack_body {
    static_assert(sizeof(Wire) <= sizeof(Own));
    pack_task task;

    constexpr void operator()(detail::worker w) const {
        if (task.back) {
            move_all<true>(w);
        } else {
            move_all<false>(w);
        }
    }

private:
    static constexpr std::size_t ratio = sizeof(Own) / sizeof(Wire);
    static constexpr std::size_t each = detail::pack_bytes / sizeof(Wire);  // elements of a pack
    static constexpr std::size_t own_each = detail::pack_bytes / sizeof(Own);

    template <bool Back>
    constexpr void move_all(detail::worker w) const {
        auto const group = w.all < workers_per_range ? w.all : workers_per_range;
        auto const groups = w.all / group;
        if (w.number >= groups * group) { return; }
        detail::worker const member{w.number % group, group};
        detail::share({w.number / group, groups}, task.n,
                      [&](std::size_t i) { move<Back>(task.ranges[i], member); });
    }
    static constexpr std::size_t beyond(std::byte const* p, std::size_t unit) {
        return reinterpret_cast<std::uintptr_t>(p) % unit;
    }
    template <bool Back>
    constexpr void move(packed_range const& p, detail::worker m) const {
        auto* const wire = task.bucket + p.first * sizeof(Wire);
        auto const gap = (each - beyond(wire, detail::pack_bytes) / sizeof(Wire)) % each;
        auto const before = gap < p.count ? gap : p.count;
        auto* const own = p.tensor;
        auto const fits = beyond(own + before * sizeof(Own), detail::pack_bytes) == 0;
        auto const packs = fits ? (p.count - before) / each : 0;
        detail::share(m, packs, [&](std::size_t i) {
            auto const at = before + i * each;
            move_pack<Back>(own + at * sizeof(Own), wire + at * sizeof(Wire));
        });
        auto const packed = packs * each;
        auto const rest = p.count - packed;  // in front of the packs, and behind them
        auto const place = [&](std::size_t k) { return k < before ? k : k + packed; };
        if (beyond(own, sizeof(Own)) == 0) {
            detail::share(m, rest,
                          [&](std::size_t k) { move_element<Back, true>(own, wire, place(k)); });
        } else {
            detail::share(m, rest,
                          [&](std::size_t k) { move_element<Back, false>(own, wire, place(k)); });
        }
    }
    template <bool Back, bool Aligned>
    static constexpr void move_element(std::byte* own, std::byte* wire, std::size_t i) {
        auto* const o = own + i * sizeof(Own);
        auto* const w = wire + i * sizeof(Wire);
        if constexpr (Back) {
            store<Aligned>(o, static_cast<Own>(load<Wire, true>(w)));
        } else {
            store<true>(w, static_cast<Wire>(load<Own, Aligned>(o)));
        }
    }
    template <class T, bool Aligned>
    static constexpr T load(std::byte const* from) {
        constexpr std::size_t unit = Aligned ? sizeof(T) : 1;
        T result{};
        __builtin_memcpy(&result, __builtin_assume_aligned(from, unit), sizeof(T));
        return result;
    }
    template <bool Aligned, class T>
    static constexpr void store(std::byte* to, T const& value) {
        constexpr std::size_t unit = Aligned ? sizeof(T) : 1;
        __builtin_memcpy(__builtin_assume_aligned(to, unit), &value, sizeof(T));
    }
    /// A pack of the bucket, and as many of the tensor as its elements fill.
    template <bool Back>
    static constexpr void move_pack(std::byte* own, std::byte* wire) {
        if constexpr (std::is_same_v<Own, Wire>) {
            detail::store_pack(Back ? own : wire, detail::load_pack(Back ? wire : own));
        } else if constexpr (Back) {
            auto const from = std::bit_cast<detail::lanes<Wire>>(detail::load_pack(wire));
#if defined(__CUDACC__)
#pragma unroll
#endif
            for (std::size_t r = 0; r < ratio; ++r) {
                detail::lanes<Own> to{};
#if defined(__CUDACC__)
#pragma unroll
#endif
                for (std::size_t e = 0; e < own_each; ++e) {
                    to.values[e] = static_cast<Own>(from.values[r * own_each + e]);
                }
                detail::store_pack(own + r * detail::pack_bytes, std::bit_cast<detail::pack>(to));
            }
        } else {
            detail::lanes<Wire> to{};
#if defined(__CUDACC__)
#pragma unroll
#endif
            for (std::size_t r = 0; r < ratio; ++r) {
                auto const at = own + r * detail::pack_bytes;
                auto const from = std::bit_cast<detail::lanes<Own>>(detail::load_pack(at));
#if defined(__CUDACC__)
#pragma unroll
#endif
                for (std::size_t e = 0; e < own_each; ++e) {
                    to.values[r * own_each + e] = static_cast<Wire>(from.values[e]);
                }
            }
            detail::store_pack(wire, std::bit_cast<detail::pack>(to));
        }
    }
};

}  // namespace collectives::cuda
