// SPDX-License-Identifier: BSD-3-Clause
// A line on the terminal that shows how far the training is, and goes when it is done.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

namespace trainer {

/// Writes to standard error, and only where that is a terminal; at most 20 times a second.
class progress {
public:
    progress(std::string_view label, bool wanted)
        : label_(label), shown_(wanted && isatty(STDERR_FILENO) != 0) {}
    progress(progress const&) = delete;
    progress& operator=(progress const&) = delete;
    ~progress() { clear(); }

    void clear() const {
        if (shown_) { std::fputs("\r\033[K", stderr); }
    }
    void show(int step, int steps, double accuracy) {
        show(step, steps, fmt::format("step {}/{}, accuracy {:.3f}", step, steps, accuracy));
    }
    void show(int step, int steps, std::string_view what) {
        auto const now = std::chrono::steady_clock::now();
        if (!shown_ || now < next_) { return; }
        next_ = now + std::chrono::milliseconds(50);
        auto const done = static_cast<std::size_t>(24 * step / steps);
        fmt::print(stderr, "\r  {:<12} {:━<{}}{:─<{}} {}\033[K", label_, "", done, "", 24 - done,
                   what);
        std::fflush(stderr);
    }

private:
    std::string label_;
    bool shown_;
    std::chrono::steady_clock::time_point next_{};
};

}  // namespace trainer
