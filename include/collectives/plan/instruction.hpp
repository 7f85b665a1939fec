// SPDX-License-Identifier: BSD-3-Clause
// The instructions of a plan: pure data. docs/plans.md has them in a table.
#pragma once

#include <collectives/core/types.hpp>
#include <collectives/schedule/step.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace collectives::inline v0::plans {

enum class opcode : std::uint8_t {
    wait,     // until a peer's counter has reached a point
    publish,  // a point, on this rank's own counter
    copy,     // one source to its destinations
    reduce,   // all sources, in this order, to all destinations in one pass
    send,     // posts a message; it may be read until it is tested
    receive,  // posts room for a message; it may be written until it is tested
    test,     // waits until a posted message is done
};

enum class memory : std::uint8_t {
    input,    // the input of a call, which nobody writes
    output,   // the output of a call
    scratch,  // the scratch of a run
    cell,     // cache lines of a call that hold a whole small input (lower/emit_cells.hpp)
    message,  // what request `number` brings, read while it comes
    offer,    // what `peer` keeps ready for this rank: the offer of that number, see plan.hpp
};

/// Where bytes are: in this rank's memory or, with a `peer`, in that of a peer. A place in a peer's
/// memory has the symbolic form `offer` until the peer has announced its protocol
/// (plan/resolve.hpp).
struct place {
    memory where = memory::input;
    rank_t peer = -1;
    int number = 0;  // of a message or an offer
    std::size_t offset = 0;
    friend constexpr bool operator==(place const&, place const&) = default;
};

/// How stores go. A hint: it changes no result, only whether a publish needs a fence.
enum class store : std::uint8_t {
    cached,
    dead_after,  // nobody reads it again in this run: past the caches if the vector is large
    measured,    // past the caches if the peers' caches are measured to be far
};
/// Whether a publish after such a store needs a fence.
constexpr bool may_stream(store how) { return how != store::cached; }

struct destination {
    place to{};
    store how = store::cached;
    friend constexpr bool operator==(destination const&, destination const&) = default;
};

/// When an instruction or a destination is dropped, once the peers' protocols are known.
enum class condition : std::uint8_t {
    always,
    unless_peer_takes_results,  // a wait: the peer will not read
    unless_all_take_results,    // the second destination of a reduction: nobody will read it
    unless_all_came,  // a wait of the window: implied if all ranks have come to a late enough run
    if_peer_shares,   // a copy to the output of a peer that shares
    unless_peer_shares,  // a copy that this rank makes unless the peer writes it here
};

/// How far a rank has come in a run, on its counter. The counter of run r is r << 20 | point.
using point = std::uint32_t;
/// What peers read of this rank in this round is in place, and those that push a copy may write it.
constexpr point come(int round) { return static_cast<point>(2 * round + 1); }
/// The rank reads nothing of this round any more, and has written what it pushes in it.
constexpr point done(int round) { return come(round) + 1; }
/// Whether a point says that something is in place.
constexpr bool is_come(point at) { return at % 2 != 0; }
/// The rank has left the run: it reads nothing there any more.
inline constexpr point left = (1U << 20) - 2;

/// The elements [first, last) of a list of the plan.
struct index_range {
    int first = 0, last = 0;
    constexpr int size() const { return last - first; }
    friend constexpr bool operator==(index_range, index_range) = default;
};

struct instruction {
    opcode what = opcode::copy;
    condition when = condition::always;
    bool completes = false;      // reduce: all contributions are in it now
    bool fence = false;          // publish: streaming stores came before it
    int round = 0;               // of the algorithm, for reports
    rank_t peer = -1;            // wait, send, receive; a copy that a peer may share
    int number = 0;              // send, receive, test: the request
    int runs_back = 0;           // wait: how many runs ago the awaited run began
    point at = 0;                // wait, publish
    std::size_t bytes = 0;       // of each source and each destination, or of the message
    index_range sources{};       // in plan::sources; of a send, what is sent
    index_range destinations{};  // in plan::destinations; of a receive none, if reduces read it
    verb action = verb::send;    // send, receive: the verb of its step, for traces
    chunk_range chunks{};        // send, receive: the chunks of its step
    friend constexpr bool operator==(instruction const&, instruction const&) = default;
};

/// Whether an instruction is a half of a copy that two ranks may share.
constexpr bool is_shared(instruction const& i) {
    return i.when == condition::if_peer_shares || i.when == condition::unless_peer_shares;
}

constexpr std::string_view name(opcode what) {
    constexpr std::string_view names[] = {"wait", "publish", "copy", "reduce",
                                          "send", "receive", "test"};
    return names[static_cast<std::size_t>(what)];
}
constexpr std::string_view name(memory where) {
    constexpr std::string_view names[] = {"input", "output", "scratch", "cell", "message", "offer"};
    return names[static_cast<std::size_t>(where)];
}

}  // namespace collectives::plans
