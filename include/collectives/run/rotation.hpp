// SPDX-License-Identifier: BSD-3-Clause
// Memory for what peers read a short time, handed out round and round over more than a core's own
// caches hold. When a line is written again, its copy has left the peers' caches, so that none of
// them has to be asked for it: two to three times quicker (docs/performance.md).
#pragma once

#include <collectives/core/types.hpp>
#include <collectives/run/hub.hpp>
#include <collectives/run/scratch_pool.hpp>
#include <collectives/space/caches.hpp>
#include <collectives/space/copy.hpp>
#include <collectives/transport/any_transport.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace collectives {

/// Bytes that a rank had best write before it begins again: its share of twice a core's own cache;
/// 0 where the last cache does not hold that for all its cores.
inline std::size_t best_rotation(any_transport const& t) {
    auto const& is = host::caches();
    auto const bytes = 2 * is.own;
    auto const cores = static_cast<std::size_t>(std::max(is.sharers / is.own_sharers, 1));
    if (bytes * cores > is.last) { return 0; }
    auto const processors = static_cast<std::size_t>(processors_for(t));
    return bytes * processors / std::max(static_cast<std::size_t>(t.size()), processors);
}

/// Pieces of a stretch of memory, one behind the other, from the begin again after the last.
class rotation {
public:
    using buffer = scratch_pool::buffer;

    bool exists() const { return all_.data != nullptr; }
    /// Takes the memory, once. Where `bytes` are n + 1 times the largest piece, each piece shares
    /// no byte with the n - 1 before it. Throws transport_error if there is no memory.
    void make(any_transport& t, std::size_t bytes) {
        auto& memory = *t.memory();
        all_ = {static_cast<std::byte*>(memory.allocate(bytes)), bytes};
        auto const read = bytes * static_cast<std::size_t>(t.size() - 1);  // by each peer, of all
        if (!memory.always_reachable() && read <= most_read) {
            told_ = {memory.reach(all_.data, bytes), bytes};
        }
        // Pages that are new when a piece is written, or lines that no cache knows, would take
        // longer than all else.
        for (std::size_t i = 0; i < bytes; i += line) { all_.data[i] = std::byte{}; }
    }
    /// Where all of it lies, for peers whose page tables are others, if they are few.
    memory_range told() const { return told_; }
    /// What peer r told of its own, before this rank reads a piece.
    void meet(peer_memory& of, rank_t r, memory_range const& its) {
        auto const i = static_cast<std::size_t>(r);
        if (i < met_.size() && met_[i] == its.where) { return; }
        if (i >= met_.size()) { met_.resize(i + 1); }
        met_[i] = its.where;
        if (its.where != 0) { touch(of.at(its.where), its.bytes); }
    }
    /// The next piece, in lines of its own.
    std::byte* take(std::size_t bytes) {
        auto const whole = (bytes + line - 1) / line * line;
        if (next_ + whole > all_.bytes) { next_ = 0; }
        return all_.data + std::exchange(next_, next_ + whole);
    }
    /// The memory, which somebody else gives back.
    buffer release() { return std::exchange(all_, {}); }

private:
    static constexpr std::size_t line = host::detail::line_bytes;
    static constexpr std::size_t most_read = std::size_t{32} << 20;  // some 5 ms

    /// Reads a byte of each line, so that the page tables know the lines. The peer may be writing
    /// there. Nobody uses what is read, so ThreadSanitizer does not look at these reads.
    [[gnu::noinline, gnu::no_sanitize("thread")]] static void touch(std::byte const volatile* first,
                                                                    std::size_t bytes) {
        for (std::size_t k = 0; k < bytes; k += line) { static_cast<void>(first[k]); }
    }

    buffer all_{};
    memory_range told_{};
    std::vector<std::uint64_t> met_;  // where those of peers lie
    std::size_t next_ = 0;
};

}  // namespace collectives
