// SPDX-License-Identifier: BSD-3-Clause
// The types that every layer shares: ranks, collectives, and how a vector is cut into blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace collectives::inline v0 {

/// A process or thread that takes part: 0 .. size - 1.
using rank_t = int;

/// What a call does. `send` and `recv` are included because errors and fingerprints name them too.
enum class collective : std::uint8_t {
    all_reduce,
    reduce_scatter,
    all_gather,
    broadcast,
    reduce,
    gather,
    scatter,
    all_to_all,
    scan,
    exscan,
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
    collective::scatter,    collective::all_to_all,     collective::scan,
    collective::exscan,     collective::barrier};

/// The chunks that a rank holds.
enum class holding : std::uint8_t { all, own, all_at_root, all_but_at_first };
/// Whether a rank holds a chunk. Chunk -1 is no rank's own.
constexpr bool has(holding what, rank_t rank, rank_t root, int chunk) {
    return what == holding::all || (what == holding::own           ? rank == chunk
                                    : what == holding::all_at_root ? rank == root
                                                                   : rank != 0);
}

/// The properties of a collective.
struct collective_traits {
    std::string_view name;          ///< the name of the member function
    holding input = holding::all;   ///< what each rank gives
    holding output = holding::all;  ///< what each rank gets
    bool reduces = false;           ///< it reduces contributions, so it takes an operator
    bool one_vector = true;  ///< all ranks have one vector; else chunk i is the block of rank i
};
/// The traits of each collective, in the order of the enumeration.
inline constexpr std::array<collective_traits, 15> all_traits{{
    {"all_reduce", holding::all, holding::all, true, true},
    {"reduce_scatter", holding::all, holding::own, true, false},
    {"all_gather", holding::own, holding::all, false, false},
    {"broadcast", holding::all_at_root, holding::all, false, true},
    {"reduce", holding::all, holding::all_at_root, true, true},
    {"gather", holding::own, holding::all_at_root, false, false},
    {"scatter", holding::all_at_root, holding::own, false, false},
    {"all_to_all", holding::all, holding::all, false, false},
    {"scan", holding::all, holding::all, true, true},
    {"exscan", holding::all, holding::all_but_at_first, true, true},
    {"barrier", holding::own, holding::all, false, false},
    {"send"},
    {"recv"},
    {"split"},
    {"allocate"},
}};
/// The traits of one collective.
constexpr collective_traits const& traits_of(collective what) {
    return all_traits[static_cast<std::size_t>(what)];
}
/// "unknown" for what is no collective, since peers may send any number.
constexpr std::string_view name(collective what) {
    return static_cast<std::size_t>(what) < all_traits.size() ? traits_of(what).name : "unknown";
}
/// Whether it takes an operator.
constexpr bool reduces(collective what) { return traits_of(what).reduces; }
/// Whether each rank has a block of its own.
constexpr bool has_blocks(collective what) { return !traits_of(what).one_vector; }
/// Whether one rank, the root, gives or gets the whole vector.
constexpr bool is_rooted(collective what) {
    return traits_of(what).input == holding::all_at_root ||
           traits_of(what).output == holding::all_at_root;
}
/// Whether each rank gets a reduction of its own, over a prefix of the ranks.
constexpr bool is_prefix(collective what) {
    return what == collective::scan || what == collective::exscan;
}
/// How many ranks, from rank 0 on, are in the reduction that a rank gets.
constexpr int reduced_ranks(collective what, int size, rank_t rank) {
    return !is_prefix(what) ? size : what == collective::scan ? rank + 1 : rank;
}
/// Whether no rank can end the collective before all ranks have begun it.
constexpr bool waits_for_all(collective what) { return !is_rooted(what) && !is_prefix(what); }

/// A range of consecutive elements. Of 64 bits everywhere: what is counted may be larger than a
/// memory.
struct extent {
    std::uint64_t first = 0;  ///< the number of the first one
    std::uint64_t size = 0;   ///< how many there are
    friend constexpr bool operator==(extent, extent) = default;
};

/// Part `i` of `count` elements cut into `parts`: the first `count % parts` parts are one longer.
constexpr extent block(std::uint64_t count, int parts, int i) {
    auto const p = static_cast<std::uint64_t>(parts);
    auto const k = static_cast<std::uint64_t>(i);
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
