// SPDX-License-Identifier: BSD-3-Clause
// The only place that decides how bytes travel.
//
// | protocol       | chosen when                                         | costs                  |
// |----------------|-----------------------------------------------------|------------------------|
// | eager          | over messages                                       | what is received needs |
// |                |                                                     | a place, one more pass |
// | stream_reduce  | over messages, if the transport can hand over bytes | nothing but            |
// |                | as they come, for elements of 4 KiB at most         | the messages           |
// | cells          | one round, or an exscan of two, and inputs that fit | each input copied once |
// |                | a cell                                              |                        |
// | cells_beside   | likewise, and inputs of 8 KiB at most               | likewise; one more line|
// | zero_copy      | peers reach input and output, and nothing below; or | waits for readers      |
// |                | the kernel copies them, as who reads prefers        |                        |
// | zero_copy that | likewise, and each chunk is added up in one place:  | peers' outputs written |
// | takes results  | from 16 KiB in place, from 1 MiB out of place, or   | by others              |
// |                | where a push pays by the clock; any size on a       |                        |
// |                | device, and there copies to all, too                |                        |
// | zero_copy that | a broadcast over two ranks that both wait for it,   | the root waits for the |
// | shares copies  | and the kernel copies: each rank copies a half      | reader, too            |
// | staged_results | an all_reduce out of place below 1 MiB, where no    | sums written twice     |
// |                | push pays; its sums fit a piece of the staging ring |                        |
// | staged_once    | peers do not reach the buffers, or an all_reduce in | what peers read is     |
// |                | place would keep its sums beside the input; what    | copied, to lines that  |
// |                | is staged fits a piece                              | no peer's cache holds  |
// | staged         | likewise, where it does not fit, or on a device     | waits before copies    |
//
// Each rank decides for itself between the protocols from zero_copy on, and announces the decision.
#pragma once

#include <collectives/core/function_ref.hpp>
#include <collectives/core/lending_case.hpp>
#include <collectives/lower/lower.hpp>

#include <algorithm>
#include <cstddef>

namespace collectives::inline v0::lowering {

inline constexpr std::size_t largest_streamed_element = 4096;
inline constexpr std::size_t largest_pushed_element = 2048;
inline constexpr std::size_t least_pushed = 16 * 1024;  // bytes of a vector
inline constexpr std::size_t least_pushed_out_of_place = 1024 * 1024;
inline constexpr std::size_t least_lent_share = 8 * 1024;  // bytes of a rank's share
inline constexpr std::size_t largest_kept = 1024 * 1024;   // of scratch beyond the run
inline constexpr std::size_t largest_in_few_cells = 256, largest_in_cells = 2048;
inline constexpr std::size_t largest_beside_cells = 8192;

inline std::size_t vector_bytes(call_shape const& s) { return s.count * s.elem_size; }

/// Whether sums, or on a device copies, go to the outputs of the ranks that take them. Equal on all
/// ranks.
[[gnu::cold]] inline bool pushes(lowered_call const& c, bool on_device) {
    if (on_device && c.pushes_copies()) { return true; }
    return c.adds_once() && c.shape().elem_size <= largest_pushed_element &&
           (on_device || vector_bytes(c.shape()) >= least_pushed);
}

/// The choice over messages. `reduces_as_it_comes`: the transport can hand bytes over as they come.
inline rank_choice choose_for_messages(lowered_call const& c, bool in_place,
                                       bool reduces_as_it_comes) {
    auto const streams = reduces_as_it_comes && c.shape().elem_size <= largest_streamed_element;
    return {{streams ? protocol::stream_reduce : protocol::eager, in_place, false}};
}

/// The longest input of any rank, in bytes.
inline std::size_t longest_input(call_shape const& s) {
    auto longest = s.count;
    if (traits_of(s.what).input == holding::own) {
        longest = block(s.count, s.size, 0).size;
        if (!s.counts.empty()) {
            longest = 0;
            for (auto const n : s.counts) { longest = std::max(longest, n); }
        }
    }
    return s.elem_size * longest;
}
/// Whether a call runs in cells, if the board has cells. Depends only on what is equal on all
/// ranks. `knows_blocks`: each rank knows all blocks. A cell holds a whole input, so it does not
/// suit blocks with gaps between them.
inline bool suits_cells(lowered_call const& c, bool knows_blocks) {
    auto const& s = c.shape();
    return s.size > 1 && c.segments() == 1 && s.recv_counts.empty() &&
           (!s.has_places() || traits_of(s.what).input == holding::own) && knows_blocks &&
           longest_input(s) <= largest_beside_cells && c.needs_inputs_alone();
}
/// The choice in cells, for inputs of at most `bytes` bytes.
inline rank_choice choose_for_cells(std::size_t bytes, bool in_place) {
    auto const inside = bytes <= largest_in_cells;
    return {{inside ? protocol::cells : protocol::cells_beside, in_place, false},
            inside ? plans::scratch_life::run : plans::scratch_life::ring,
            false,
            bytes <= largest_in_few_cells ? plans::few_cells : plans::more_cells};
}

/// What a rank knows of itself when it enters a run in memory that peers reach. Facts that take
/// time to find are functions, called only where they decide.
struct rank_facts {
    bool in_place = false;
    bool reachable = true;  // peers can read its input and write its output
    bool on_device = false;
    function_ref<bool()> push_pays;               // as far as measured, or to be measured
    function_ref<std::size_t()> ring_piece;       // bytes; 0: there is no staging ring
    function_ref<std::size_t(protocol)> scratch;  // bytes that the plan of a protocol needs
    function_ref<bool()> lends;  // peers can copy from what they do not reach, and prefer that
    bool is_awaited = true;      // the rank does nothing but wait for the call
};

/// Whether a call is large enough that the kernel may copy private memory sooner than both ranks
/// copy through shared memory. Then the clock decides.
[[gnu::cold]] inline bool suits_lending(call_shape const& s) {
    return s.size > 1 && vector_bytes(s) / static_cast<std::size_t>(s.size) >= least_lent_share;
}
/// Whether the root and the only reader of a lent vector copy half of it each.
[[gnu::cold]] inline bool shares_copies(lowered_call const& c) {
    return c.shape().what == collective::broadcast && c.shape().size == 2 && c.rounds() == 1;
}
/// The rank that measures such calls, and whose preference all follow: one that reads. If it has
/// nothing to read, nothing is measured, and no rank lends.
[[gnu::cold]] inline rank_t judge_of_lending(call_shape const& s) {
    if (s.what == collective::gather || s.what == collective::reduce) { return s.root; }
    return s.root == 1 ? 0 : 1;
}
[[gnu::cold]] inline lending_case lending_case_of(call_shape const& s) {
    return lending_case::of_call(s.what, s.size, vector_bytes(s));
}

[[gnu::cold]] inline rank_choice choose_for_memory(lowered_call const& c, rank_facts const& facts) {
    using plans::scratch_life;
    auto const all_reduces = c.shape().what == collective::all_reduce;
    auto const pushed = pushes(c, facts.on_device);
    auto const small_out_of_place =
        !facts.in_place && !facts.on_device && vector_bytes(c.shape()) < least_pushed_out_of_place;
    auto const pays = facts.reachable && small_out_of_place && pushed && facts.push_pays();
    auto const choice = [&](protocol how, scratch_life keeps, bool takes_results = false) {
        return rank_choice{{how, facts.in_place, takes_results}, keeps, pushed};
    };
    auto const fits_ring = [&](protocol how) {
        auto const n = facts.on_device ? 0 : facts.scratch(how);
        return n != 0 && n <= facts.ring_piece();
    };
    auto const keeps_sums = all_reduces && facts.in_place && !facts.on_device &&
                            facts.scratch(protocol::zero_copy) != 0;
    auto const lends =
        !facts.reachable && !facts.on_device && suits_lending(c.shape()) && facts.lends();
    if (!lends && (!facts.reachable || keeps_sums)) {
        for (auto const how : {protocol::staged_once, protocol::staged}) {
            if (fits_ring(how)) { return choice(how, scratch_life::ring); }
        }
    } else if (!lends && all_reduces && small_out_of_place && !pays &&
               fits_ring(protocol::staged_results)) {
        return choice(protocol::staged_results, scratch_life::ring);
    }
    if (facts.reachable || lends) {
        auto result = choice(protocol::zero_copy, scratch_life::run,
                             !lends && pushed && (pays || !small_out_of_place));
        result.shown.shares_copies = lends && facts.is_awaited && shares_copies(c);
        return result;
    }
    auto const kept = !facts.on_device && facts.scratch(protocol::staged) <= largest_kept;
    return choice(protocol::staged, kept ? scratch_life::channel : scratch_life::run);
}

}  // namespace collectives::lowering
