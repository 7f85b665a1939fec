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

namespace collectives {

/// Of one rank and communicator. Takes the time now and then, since threads move.
class line_watch {
public:
    using time_per_line = std::chrono::duration<double, std::nano>;

    /// From `slow` on, a line is better written past the caches.
    explicit line_watch(time_per_line slow = time_per_line(10)) : slow_(slow) {}

    /// How to write the `bytes` bytes at `to`, which peers read next. What was there may be lost.
    destination best(std::byte* to, std::size_t bytes) {
        if (!host::detail::can_pass_caches || bytes < least) { return destination::read_soon; }
        if (looks_ < samples || count_ % interval == 0) { look(to, bytes); }
        ++count_;
        return far_ ? destination::not_read_soon : destination::read_soon;
    }

private:
    static constexpr std::size_t line = host::detail::line_bytes, page = 4096;
    static constexpr std::size_t least = 1024;  // bytes for which it matters
    static constexpr std::size_t most_looked_at = 16 * 1024;
    static constexpr std::size_t interval = 32;  // between two looks
    static constexpr std::size_t samples = 3;    // the one in the middle counts

    /// Writes to lines that are to be written anyway.
    void look(std::byte* to, std::size_t bytes) {
        auto const part = std::min(bytes, most_looked_at);
        for (std::size_t i = 0; i < part; i += page) { touch(to + i); }  // pages are there then
        touch(to + part - 1);
        auto const before = steady::now();
        auto const start = steady::now();
        for (std::size_t i = 0; i < part; i += line) { touch(to + i); }
        std::atomic_thread_fence(std::memory_order_seq_cst);  // until they are written
        auto const taken = steady::now() - start - (start - before);
        latest_[looks_++ % samples] = taken / (static_cast<double>(part) / line);
        if (looks_ < samples) { return; }
        auto sorted = latest_;
        std::sort(sorted.begin(), sorted.end());
        far_ = sorted[samples / 2] > slow_;
    }
    static void touch(std::byte volatile* p) { *p = std::byte{}; }

    time_per_line slow_;
    bool far_ = false;
    std::size_t count_ = 0, looks_ = 0;
    std::array<time_per_line, samples> latest_{};
};

}  // namespace collectives
