// SPDX-License-Identifier: BSD-3-Clause
// Copies within the host's memory, through the caches or past them.
#pragma once

#include <collectives/core/compiled.hpp>
#include <collectives/core/copy.hpp>
#include <collectives/core/list_view.hpp>

#include <cstddef>
#include <cstdint>

namespace collectives::inline v0 {

/// What becomes of a pass's result. What is not read soon goes past the caches, straight to memory:
/// the lines need not be fetched first, and what the caches hold stays there. It is visible to
/// other threads like any store, once a counter was published after the pass.
enum class destination : std::uint8_t { read_soon, not_read_soon };

namespace host {

namespace detail {

#if defined(__x86_64__) && !defined(__NVCC__)
inline constexpr bool can_pass_caches = true;
#else
inline constexpr bool can_pass_caches = false;
#endif

/// Stores past the caches come before all stores after this.
void end_stream();

}  // namespace detail

/// Where the results of an operation should go that writes a vector of `bytes` in all: its passes
/// are too small to tell.
destination destination_of(std::size_t bytes);

/// Several copies. What they write past the caches comes before all stores after `end`, which waits
/// until the processor has sent it off: once for all of them.
class copies {
public:
    /// Copies `bytes` bytes. The two may be the same place; any other overlap is not allowed.
    void add(void* dst, void const* src, std::size_t bytes,
             destination to = destination::read_soon);
    /// The same `bytes` bytes to several places. Past the caches, as many behind each of `next`,
    /// which are read soon, are asked for: the processor itself does not look so far ahead.
    void add(list_view<std::byte* const> dsts, std::byte const* src, std::size_t bytes,
             destination to, list_view<std::byte const* const> next);
    void end() {
        if (streams_) { detail::end_stream(); }
        streams_ = false;
    }

private:
    bool streams_ = false;
};

/// One copy.
void copy(void* dst, void const* src, std::size_t bytes, destination to = destination::read_soon);

}  // namespace host

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/core/streaming_copy.ipp>
#endif
