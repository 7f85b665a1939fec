// SPDX-License-Identifier: BSD-3-Clause
// hierarchical: ranks that share a host add up first; each then takes its part between the hosts.
//
//     round   rank 0    rank 1   rank 2   rank 3         P = 4, hosts {0, 1} and {2, 3}; of chunks
//             abcd      abcd     abcd     abcd           a, b, c, d each answers for those shown
//       0     ab 0+1    cd 0+1   ab 2+3   cd 2+3         inside: two_shot's first half
//       1     a  S      c  S     b  S     d  S           between 0 and 2, 1 and 3: mixed_radix
//       2     ab S      cd S     ab S     cd S           back again, without adding
//       3     abcd S    abcd S   abcd S   abcd S         inside: two_shot's second half
//
//     rounds         2 D + 2, D prime factors of the M = P/H hosts of H ranks each; 2 D if H = 1.
//                    The first and the last stay inside the hosts, with H-1 messages of each rank
//     busiest sends  2 n (P-1)/P, as all do: the lower bound; of these 2 (n/H) (M-1)/M to other
//                    hosts, and a host 2 n (M-1)/M: the lower bound of that too. It adds n (P-1)/P
//     memory         at most n
//     operator       associative; the order of the ranks is kept
//
// Host h has the ranks [h H, (h+1) H). All H ranks of a host talk to other hosts at once, each with
// its like there and about its H-th of the vector, so that no leader is a bottleneck. Broadcast and
// reduce spread the same way: a tree between the hosts for each H-th. What is inside and between is
// taken from other algorithms; these keep the order, so sums are over consecutive ranks, bracketed
// alike for every chunk. Cho, Finkler, Kung, Hunter, BlueConnect: Decomposing All-Reduce for Deep
// Learning on Heterogeneous Network Hierarchy, MLSys 2019.
#pragma once

#include <collectives/algorithm/mixed_radix.hpp>
#include <collectives/algorithm/tree.hpp>
#include <collectives/algorithm/two_shot.hpp>
#include <collectives/schedule/collector.hpp>
#include <collectives/schedule/proof.hpp>
#include <collectives/schedule/step.hpp>
#include <collectives/schedule/linear.hpp>

#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

struct hierarchical {
    static constexpr std::string_view name = "hierarchical";
    static constexpr run_hints hints = {.overlap_segments = true};

    int ranks_per_host = 0;  ///< at least 1, and a divisor of the number of ranks

    constexpr int parameter() const { return ranks_per_host; }
    constexpr bool fits(int size) const { return ranks_per_host > 0 && size % ranks_per_host == 0; }

    static constexpr int chunks(int size) { return size; }
    constexpr detail::sum_order sums(std::type_identity<hierarchical>, collective what,
                                     int size) const {
        if (size == ranks_per_host) { return two_shot::sums({}, what, size); }
        if (ranks_per_host == 1 && what != collective::reduce) {
            return mixed_radix::sums({}, what, size);
        }
        return detail::sum_order::consecutive;
    }

    /// Chunk c is of the part that local rank c / M answers for, and there the chunk c % M.
    constexpr rank_t owner(int chunk, int size) const {
        int const hosts = size / ranks_per_host;
        return mixed_radix::owner(chunk % hosts, hosts) * ranks_per_host + chunk / hosts;
    }

    constexpr void reduce_scatter(rank_t me, int size, step_sink auto&& emit) const {
        place const at(me, size, ranks_per_host);
        auto inside = at.inside(emit, 0);
        auto between = at.between(emit, at.inside_rounds());
        two_shot::reduce_scatter(at.local, ranks_per_host, inside);
        mixed_radix::reduce_scatter(at.host, at.hosts, between);
    }

    constexpr void all_gather(rank_t me, int size, step_sink auto&& emit) const {
        place const at(me, size, ranks_per_host);
        auto between = at.between(emit, 0);
        auto inside = at.inside(emit, mixed_radix::rounds(at.hosts));
        mixed_radix::all_gather(at.host, at.hosts, between);
        two_shot::all_gather(at.local, ranks_per_host, inside);
    }

    /// The root spreads its vector over its host; each rank there sends its part down a tree.
    constexpr void broadcast(rank_t me, int size, rank_t root, step_sink auto&& emit) const {
        place const at(me, size, ranks_per_host);
        place const from(root, size, ranks_per_host);
        int const first = at.inside_rounds();
        auto spread = at.inside(emit, 0);
        auto between = at.part_between(emit, first);
        auto inside = at.inside(emit, first + ceil_log2(at.hosts));
        if (at.host == from.host) { linear::scatter(at.local, ranks_per_host, from.local, spread); }
        tree::broadcast(at.host, at.hosts, from.host, between);
        two_shot::all_gather(at.local, ranks_per_host, inside);
    }

    /// The way back: each part up a tree to the root's host, where the root gathers them.
    constexpr void reduce(rank_t me, int size, rank_t root, step_sink auto&& emit) const {
        place const at(me, size, ranks_per_host);
        place const to(root, size, ranks_per_host);
        int const first = at.inside_rounds();
        auto inside = at.inside(emit, 0);
        auto between = at.part_between(emit, first);
        auto collect = at.inside(emit, first + ceil_log2(at.hosts));
        two_shot::reduce_scatter(at.local, ranks_per_host, inside);
        tree::reduce(at.host, at.hosts, to.host, between);
        if (at.host == to.host) { linear::gather(at.local, ranks_per_host, to.local, collect); }
    }

private:
    /// Where a rank is, and the steps of algorithms that run among the ranks of its host, or among
    /// its likes of all hosts.
    struct place {
        int per_host;
        int hosts;
        int host;
        rank_t local;

        constexpr place(rank_t me, int size, int ranks_per_host)
            : per_host(ranks_per_host),
              hosts(size / ranks_per_host),
              host(me / ranks_per_host),
              local(me % ranks_per_host) {}

        constexpr int inside_rounds() const { return per_host > 1 ? 1 : 0; }

        constexpr auto inside(auto& emit, int round) const {
            return detail::relabelled(emit, {round, host * per_host, 1, 0, hosts});
        }
        /// Over the chunks of this rank's part.
        constexpr auto between(auto& emit, int round) const {
            return detail::relabelled(emit, {round, local, per_host, local * hosts, 1});
        }
        /// Over this rank's part as one chunk.
        constexpr auto part_between(auto& emit, int round) const {
            return detail::relabelled(emit, {round, local, per_host, local * hosts, hosts});
        }
    };
};

}  // namespace collectives
