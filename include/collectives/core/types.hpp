// SPDX-License-Identifier: BSD-3-Clause
// The words every layer shares: ranks, collectives, and how a vector is cut into blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace collectives {

/// A process or thread that takes part: 0 .. size - 1.
using rank_t = int;

/// What a call asks for. `send` and `recv` are here because errors and fingerprints name them too.
enum class collective : std::uint8_t {
    all_reduce,
    reduce_scatter,
    all_gather,
    broadcast,
    reduce,
    gather,
    scatter,
    all_to_all,
    barrier,
    send,
    recv,
    split,
    allocate
};

/// The collectives that run a schedule, in the order of the enumeration.
inline constexpr std::array scheduled_collectives{
    collective::all_reduce, collective::reduce_scatter, collective::all_gather,
    collective::broadcast,  collective::reduce,         collective::gather,
    collective::scatter,    collective::all_to_all,     collective::barrier};

/// The name of a collective as the member function is spelt.
constexpr std::string_view name(collective what) {
    constexpr std::array<std::string_view, 13> names{
        "all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "gather",  "scatter",
        "all_to_all", "barrier",        "send",       "recv",      "split",  "allocate"};
    return names[static_cast<std::size_t>(what)];
}

/// Whether a collective adds contributions up, and so takes an operator.
constexpr bool reduces(collective what) {
    return what == collective::all_reduce || what == collective::reduce_scatter ||
           what == collective::reduce;
}

/// Whether a collective has a root.
constexpr bool is_rooted(collective what) {
    return what == collective::broadcast || what == collective::reduce ||
           what == collective::gather || what == collective::scatter;
}

/// A run of consecutive elements.
struct extent {
    std::size_t first = 0;
    std::size_t size = 0;
    friend constexpr bool operator==(extent, extent) = default;
};

/// Part `i` of `count` elements cut into `parts`: the first `count % parts` parts are one longer.
constexpr extent block(std::size_t count, int parts, int i) {
    auto const p = static_cast<std::size_t>(parts);
    auto const k = static_cast<std::size_t>(i);
    auto const extra = count % p;
    return {k * (count / p) + (k < extra ? k : extra), count / p + (k < extra ? 1 : 0)};
}

/// The smallest L with 2^L >= n, for n >= 1.
constexpr int ceil_log2(int n) {
    int result = 0;
    while ((1LL << result) < n) { ++result; }
    return result;
}

/// The largest l with 2^l <= n, for n >= 1.
constexpr int floor_log2(int n) {
    int result = 0;
    while ((2LL << result) <= n) { ++result; }
    return result;
}

}  // namespace collectives
