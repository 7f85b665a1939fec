// SPDX-License-Identifier: BSD-3-Clause
// How long it takes a rank to write a line that peers have read. Where their caches are far (on
// another socket) it must be fetched from there first, a few lines at a time; past the caches none
// is (docs/performance.md).
#pragma once

#include <collectives/core/timeout.hpp>
#include <collectives/space/host.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>

namespace collectives::inline v0::detail {

/// Of one rank and communicator, and of lines of one kind. Takes the time now and then, since
/// threads move.
class store_probe {
public:
    using time_per_line = std::chrono::duration<double, std::nano>;

    /// From `slow` on, a line is better written past the caches.
    explicit store_probe(time_per_line slow = time_per_line(10)) : slow_(slow) {}

    /// How to write the `bytes` bytes at `to`, which peers read next. What was there may be lost.
    /// `rare`: unless lines are far, this is written for the look alone.
    destination best(std::byte* to, std::size_t bytes, bool rare = false) {
        if (!host::detail::can_pass_caches || bytes < least) { return destination::read_soon; }
        if (looks_ < samples || (rare && !far_) || bytes >= left_) {
            look(to, bytes);
        } else {
            left_ -= bytes;
        }
        return far_ ? destination::not_read_soon : destination::read_soon;
    }

    /// What the last looks found; but true at first, and now and then. Whoever has lines of its own
    /// written only where they are far so lets its peers look.
    bool may_be_far() {
        if (far_ || !host::detail::can_pass_caches) { return far_; }
        auto const now = asked_ < samples || asked_ % patience == 0;
        ++asked_;
        return now;
    }

private:
    static constexpr std::size_t line = host::detail::line_bytes, page = 4096;
    static constexpr std::size_t least = 1024;  // bytes for which it matters
    static constexpr std::size_t most_looked_at = 16 * 1024;
    static constexpr std::size_t share = 48;     // of all bytes one in so many is looked at
    static constexpr std::size_t patience = 32;  // of who asks
    static constexpr std::size_t samples = 3;    // the one in the middle counts

    /// Writes to lines that are to be written anyway.
    void look(std::byte* to, std::size_t bytes) {
        auto const part = std::min(bytes, most_looked_at);
        left_ = share * part;
        for (std::size_t i = 0; i < part; i += page) { touch(to + i); }  // pages are there then
        touch(to + part - 1);
        auto const before = steady::now();
        auto const start = steady::now();
        for (std::size_t i = 0; i < part; i += line) { touch(to + i); }
        std::atomic_thread_fence(std::memory_order_seq_cst);  // until they are written
        auto const taken = steady::now() - start - (start - before);
        latest_[looks_++ % samples] = taken / (static_cast<double>(part) / line);
        if (looks_ < samples) { return; }
        auto const& [a, b, c] = latest_;
        far_ = std::max(std::min(a, b), std::min(std::max(a, b), c)) > slow_;
    }
    static void touch(std::byte volatile* p) { *p = std::byte{}; }

    time_per_line slow_;
    bool far_ = false;
    std::size_t left_ = 0, looks_ = 0, asked_ = 0;  // the first: bytes until the next look
    std::array<time_per_line, samples> latest_{};
};

}  // namespace collectives::detail
