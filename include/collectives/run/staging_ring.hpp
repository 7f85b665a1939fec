// SPDX-License-Identifier: BSD-3-Clause
// A ring of memory for staged values, handed out piece by piece. It is longer than a core's own
// caches. When a line is written again, its copy has left the peers' caches, so the store need not
// wait for them (docs/design.md).
#pragma once

#include <collectives/core/caches.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/streaming_copy.hpp>
#include <collectives/core/types.hpp>
#include <collectives/run/rank_progress.hpp>
#include <collectives/run/scratch_pool.hpp>
#include <collectives/transport/any_transport.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace collectives::inline v0::detail {

/// The bytes that a ring should have: this rank's share of twice a core's own cache. 0 if the last
/// cache does not hold that much for all its cores.
[[gnu::cold, gnu::noinline]] inline std::size_t best_ring_bytes(any_transport const& t) {
    auto const& is = host::caches();
    auto const bytes = 2 * is.own;
    auto const cores = static_cast<std::size_t>(std::max(is.sharers / is.own_sharers, 1));
    if (bytes * cores > is.last) { return 0; }
    auto const processors = static_cast<std::size_t>(processors_for(t));
    return bytes * processors / std::max(static_cast<std::size_t>(t.size()), processors);
}

/// The rings of a rank are long while they hold less than this together. A rank that has more
/// communicators has short rings for them, so that a thousand fit the memory.
inline constexpr std::size_t most_in_long_rings = std::size_t{64} << 20;

/// Hands out pieces of one allocation in order. After the last piece comes the first again.
class staging_ring {
public:
    using buffer = scratch_pool::buffer;

    bool exists() const { return all_.data != nullptr; }
    /// `staged` counts the bytes in the rings of the rank. Call it before `make`.
    void count_in(std::size_t& staged) { staged_ = &staged; }
    /// Whether a new ring of this rank may be long.
    bool may_be_long() const { return *staged_ < most_in_long_rings; }
    /// Takes the memory, once. If `bytes` is n + 1 times the largest piece, a piece shares no byte
    /// with the n - 1 pieces before it. Throws transport_error if there is no memory.
    [[gnu::cold]] void make(any_transport& t, std::size_t bytes) {
        auto& memory = *t.memory();
        all_ = {static_cast<std::byte*>(memory.allocate(bytes)), bytes};
        *staged_ += bytes;
        auto const read = bytes * static_cast<std::size_t>(t.size() - 1);  // by each peer
        if (!memory.always_reachable() && read <= most_read) {
            announced_ = {memory.reach(all_.data, bytes), bytes};
        }
        // The first write to a page, or to a line that no cache holds, is slow, so do it here.
        for (std::size_t i = 0; i < bytes; i += line) { all_.data[i] = std::byte{}; }
    }
    /// Where the ring is. Empty if peers share this process's page tables, or are too many.
    memory_range announced() const { return announced_; }
    /// Reads each line of peer r's ring once, so that this process has mapped the pages.
    void prefault(peer_memory& of, rank_t r, memory_range its) {
        auto const i = static_cast<std::size_t>(r);
        if (i < known_.size() && known_[i] == its.where) { return; }
        learn(of, i, its);
    }
    /// The next piece. It shares no cache line with other pieces.
    std::byte* take(std::size_t bytes) {
        auto const whole = (bytes + line - 1) / line * line;
        if (next_ + whole > all_.bytes) { next_ = 0; }
        return all_.data + std::exchange(next_, next_ + whole);
    }
    /// Hands the memory over to the caller.
    buffer release() {
        *staged_ -= all_.bytes;
        return std::exchange(all_, {});
    }

private:
    static constexpr std::size_t line = host::detail::line_bytes;
    static constexpr std::size_t most_read = std::size_t{32} << 20;  // some 5 ms

    [[gnu::cold]] void learn(peer_memory& of, std::size_t peer, memory_range its) {
        if (peer >= known_.size()) { known_.resize(peer + 1); }
        known_[peer] = its.where;
        if (its.where == 0 || its.bytes > most_read) { return; }
        touch(of.at(its.where, its.bytes), its.bytes);
    }
    /// Reads a byte of each line, so that the page tables know the pages. The peer may be writing
    /// there. Nobody uses the bytes, so ThreadSanitizer ignores these reads.
    [[gnu::noinline]] __attribute__((no_sanitize("thread"))) static void touch(
        std::byte const volatile* first, std::size_t bytes) {
        for (std::size_t k = 0; k < bytes; k += line) { static_cast<void>(first[k]); }
    }

    buffer all_{};
    std::size_t* staged_ = nullptr;
    memory_range announced_{};
    lean_vector<std::uint64_t> known_;  // addresses of the peers' rings
    std::size_t next_ = 0;
};

}  // namespace collectives::detail
