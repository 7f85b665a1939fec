// SPDX-License-Identifier: BSD-3-Clause
// Measures how long a store takes to a line that peers have read. If the peers' caches are far (on
// another socket), the line is fetched from there first, a few lines at a time. A store past the
// caches avoids that (docs/lab/measurements.md).
#pragma once

#include <collectives/core/streaming_copy.hpp>
#include <collectives/core/timeout.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>

namespace collectives::inline v0::detail {

/// A probe for lines of one kind, of one rank and communicator. It measures now and then, because
/// threads move between cores.
class store_probe {
public:
    using time_per_line = std::chrono::duration<double, std::nano>;

    /// `slow`: the time per line from which a store past the caches is better.
    explicit store_probe(time_per_line slow = time_per_line(6)) : slow_(slow) {}

    /// How to store the `bytes` bytes at `to`, which peers read next. May overwrite what was there.
    /// With `rare` it times each store of a call for which `push_pays` said true only to get times.
    destination best(std::byte* to, std::size_t bytes, bool rare = false) {
        if (!host::detail::can_pass_caches || bytes < least) { return destination::read_soon; }
        if (looks_ < samples || (rare && timed_) || bytes >= left_) {
            measure(to, bytes);
        } else {
            left_ -= bytes;
        }
        return far_ ? destination::not_read_soon : destination::read_soon;
    }

    /// Whether peers should write sums to this rank's output, so that it need not stage them. This
    /// probe times stores to peers' outputs; `ring` times stores to the staging ring. Also true for
    /// the first calls, and occasionally later, so that peers can time such stores.
    bool push_pays(store_probe const& ring) {
        if (!host::detail::can_pass_caches) { return false; }
        auto const now = asked_ < samples || asked_ % patience == 0;
        ++asked_;
        auto const known = looks_ >= samples && ring.looks_ >= samples;
        timed_ = now;
        return now || far_ || (known && typical_ <= ring.typical_);
    }

private:
    static constexpr std::size_t line = host::detail::line_bytes, page = 4096;
    static constexpr std::size_t least = 1024;  // bytes from which on it matters
    static constexpr std::size_t most_looked_at = 16 * 1024;
    static constexpr std::size_t share = 48;     // one in so many bytes is measured, at first more
    static constexpr std::size_t patience = 32;  // calls between two of which one is to get times
    static constexpr std::size_t samples = 3;    // the median counts

    /// Measures on lines that are about to be written.
    void measure(std::byte* to, std::size_t bytes) {
        auto const part = std::min(bytes, most_looked_at);
        left_ = std::min(looks_ + 1, share) * part;
        for (std::size_t i = 0; i < part; i += page) { touch(to + i); }  // maps the pages
        touch(to + part - 1);
        auto const before = steady::now();
        auto const start = steady::now();
        for (std::size_t i = 0; i < part; i += line) { touch(to + i); }
        std::atomic_thread_fence(std::memory_order_seq_cst);  // until the stores are done
        auto const taken = steady::now() - start - (start - before);
        latest_[looks_++ % samples] = taken / (static_cast<double>(part) / line);
        if (looks_ < samples) { return; }
        auto const& [a, b, c] = latest_;
        typical_ = std::max(std::min(a, b), std::min(std::max(a, b), c));
        far_ = typical_ > slow_;
    }
    static void touch(std::byte volatile* p) { *p = std::byte{}; }

    time_per_line slow_, typical_{};
    bool far_ = false, timed_ = false;
    std::size_t left_ = 0, looks_ = 0, asked_ = 0;  // left_: bytes until the next measurement
    std::array<time_per_line, samples> latest_{};
};

}  // namespace collectives::detail
