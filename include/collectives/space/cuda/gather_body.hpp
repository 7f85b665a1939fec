// SPDX-License-Identifier: BSD-3-Clause
// What the kernel does that packs a bucket, and unpacks it, as a plain function like the others.
#pragma once

#include <collectives/space/cuda/body.hpp>
#include <collectives/space/cuda/gather.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace collectives::cuda {

/// Workers that share a piece: what stands together is read together.
inline constexpr std::size_t gather_team = 32;

/// Tensors of Own, bucket of Wire, which is no larger: explicit conversion makes one of the other.
/// The bucket is aligned for Wire; tensors may stand anywhere.
template <class Own, class Wire>
struct gather_body {
    static_assert(sizeof(Wire) <= sizeof(Own));
    gather_call call;

    constexpr void operator()(detail::worker w) const {
        auto const team = w.all < gather_team ? w.all : gather_team;
        auto const teams = w.all / team;
        if (w.number >= teams * team) { return; }
        detail::worker const member{w.number % team, team};
        detail::share({w.number / team, teams}, call.n,
                      [&](std::size_t i) { move(call.pieces[i], member); });
    }

private:
    static constexpr std::size_t ratio = sizeof(Own) / sizeof(Wire);
    static constexpr std::size_t each = detail::pack_bytes / sizeof(Wire);  // elements of a pack
    static constexpr std::size_t own_each = detail::pack_bytes / sizeof(Own);

    static constexpr std::size_t beyond(std::byte const* p, std::size_t unit) {
        return reinterpret_cast<std::uintptr_t>(p) % unit;
    }
    constexpr void move(gather_piece const& p, detail::worker m) const {
        auto* const wire = call.bucket + p.first * sizeof(Wire);
        auto const gap = (each - beyond(wire, detail::pack_bytes) / sizeof(Wire)) % each;
        auto const before = gap < p.count ? gap : p.count;
        auto* const own = p.tensor;
        if (beyond(own + before * sizeof(Own), detail::pack_bytes) == 0) {
            auto const packs = (p.count - before) / each;
            detail::share(m, packs, [&](std::size_t i) {
                auto const at = before + i * each;
                move_pack(own + at * sizeof(Own), wire + at * sizeof(Wire));
            });
            auto const after = before + packs * each;
            move_elements<true>(own, wire, m, 0, before);
            move_elements<true>(own, wire, m, after, p.count - after);
        } else if (beyond(own, sizeof(Own)) == 0) {
            move_elements<true>(own, wire, m, 0, p.count);
        } else {
            move_elements<false>(own, wire, m, 0, p.count);
        }
    }
    template <bool Aligned>
    constexpr void move_elements(std::byte* own, std::byte* wire, detail::worker m,
                                 std::size_t first, std::size_t count) const {
        detail::share(m, count, [&](std::size_t k) {
            auto* const o = own + (first + k) * sizeof(Own);
            auto* const w = wire + (first + k) * sizeof(Wire);
            if (call.back) {
                store<Aligned>(o, static_cast<Own>(load<Wire, true>(w)));
            } else {
                store<true>(w, static_cast<Wire>(load<Own, Aligned>(o)));
            }
        });
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
    constexpr void move_pack(std::byte* own, std::byte* wire) const {
        if constexpr (std::is_same_v<Own, Wire>) {
            detail::store_pack(call.back ? own : wire, detail::load_pack(call.back ? wire : own));
        } else {
            convert_pack(own, wire);
        }
    }
    constexpr void convert_pack(std::byte* own, std::byte* wire) const {
        detail::lanes<Wire> of_bucket{};
        if (call.back) { of_bucket = std::bit_cast<detail::lanes<Wire>>(detail::load_pack(wire)); }
#if defined(__CUDACC__)
#pragma unroll
#endif
        for (std::size_t r = 0; r < ratio; ++r) {
            auto* const at = own + r * detail::pack_bytes;
            detail::lanes<Own> of_tensor{};
            if (!call.back) {
                of_tensor = std::bit_cast<detail::lanes<Own>>(detail::load_pack(at));
            }
#if defined(__CUDACC__)
#pragma unroll
#endif
            for (std::size_t e = 0; e < own_each; ++e) {
                auto& in_bucket = of_bucket.values[r * own_each + e];
                if (call.back) {
                    of_tensor.values[e] = static_cast<Own>(in_bucket);
                } else {
                    in_bucket = static_cast<Wire>(of_tensor.values[e]);
                }
            }
            if (call.back) { detail::store_pack(at, std::bit_cast<detail::pack>(of_tensor)); }
        }
        if (!call.back) { detail::store_pack(wire, std::bit_cast<detail::pack>(of_bucket)); }
    }
};

}  // namespace collectives::cuda
