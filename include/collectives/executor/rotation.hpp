// SPDX-License-Identifier: BSD-3-Clause
// Memory for what peers read a short time, handed out round and round over more than a core's own
// caches hold. When a line is written again, its copy has left the peers' caches, so that none of
// them has to be asked for it: two to three times quicker (docs/performance.md).
#pragma once

#include <collectives/executor/hub.hpp>
#include <collectives/executor/scratch_pool.hpp>
#include <collectives/space/caches.hpp>
#include <collectives/space/copy.hpp>
#include <collectives/transport/concepts.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace collectives {

/// Bytes that a rank had best write before it begins again: its share of twice a core's own cache;
/// 0 where the last cache does not hold that for all its cores.
template <transport Transport>
std::size_t best_rotation(Transport const& t) {
    auto const& is = host::caches();
    auto const bytes = 2 * is.own;
    auto const cores = static_cast<std::size_t>(std::max(is.sharers / is.own_sharers, 1));
    if (bytes * cores > is.last) { return 0; }
    auto const processors = static_cast<std::size_t>(processors_for(t));
    return bytes * processors / std::max(static_cast<std::size_t>(t.size()), processors);
}

/// Pieces of a stretch of memory, one behind the other, from the begin again after the last.
template <class Transport>
class rotation {
public:
    using buffer = typename scratch_pool<Transport>::buffer;

    bool exists() const { return all_.data != nullptr; }
    /// Takes the memory, once. Throws transport_error if there is none.
    void make(Transport& t, std::size_t bytes) {
        all_ = {static_cast<std::byte*>(t.allocate(bytes)), bytes};
    }
    /// The next piece, in whole lines. It lies in none of those before that have, with it and once
    /// more the largest of them, no more bytes than the stretch.
    std::byte* take(std::size_t bytes) {
        constexpr auto line = host::detail::line_bytes;
        auto const whole = (bytes + line - 1) / line * line;
        if (next_ + whole > all_.bytes) { next_ = 0; }
        return all_.data + std::exchange(next_, next_ + whole);
    }
    /// The memory, which somebody else gives back.
    buffer release() { return std::exchange(all_, {}); }

private:
    buffer all_{};
    std::size_t next_ = 0;
};

}  // namespace collectives
