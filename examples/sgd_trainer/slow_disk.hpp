// SPDX-License-Identifier: BSD-3-Clause
// A disk that is slower than memory: what experiments need.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <thread>

namespace trainer {

struct disk_speed {
    double bytes_per_second = 0;  ///< of all requests together; 0: no limit
    double delay = 0;             ///< seconds until a request is answered; several wait at once
};

/// Requests share the rate, one after the other; their delays pass at the same time.
class slow_disk {
public:
    explicit slow_disk(disk_speed speed) : speed_(speed) {}

    /// Returns when a disk of that speed would have the bytes.
    void read(std::size_t bytes) {
        if (speed_.bytes_per_second == 0 && speed_.delay == 0) { return; }
        std::this_thread::sleep_until(end_of(bytes));
    }

private:
    using clock = std::chrono::steady_clock;

    clock::time_point end_of(std::size_t bytes) {
        auto const after = [](double seconds) {
            return std::chrono::duration_cast<clock::duration>(
                std::chrono::duration<double>(seconds));
        };
        std::lock_guard const lock(mutex_);
        auto const now = clock::now();
        if (free_at_ < now) { free_at_ = now; }
        if (speed_.bytes_per_second > 0) {
            free_at_ += after(static_cast<double>(bytes) / speed_.bytes_per_second);
        }
        return free_at_ + after(speed_.delay);
    }

    disk_speed speed_;
    std::mutex mutex_;
    clock::time_point free_at_{};  // when all that was asked for has been read
};

}  // namespace trainer
