// SPDX-License-Identifier: BSD-3-Clause
// A line on the terminal that shows how far the training is, and goes when it is done.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace trainer {

/// Writes to standard error, and only where that is a terminal.
class progress {
public:
    progress(std::string_view label, bool wanted)
        : label_(label), shown_(wanted && isatty(STDERR_FILENO) != 0) {}
    progress(progress const&) = delete;
    progress& operator=(progress const&) = delete;
    ~progress() {
        if (shown_) { std::fputs("\r\033[K", stderr); }
    }

    void show(int epoch, int epochs, double accuracy) const {
        if (!shown_) { return; }
        auto const done = static_cast<std::size_t>(24 * epoch / epochs);
        fmt::print(stderr, "\r  {:<12} {:━<{}}{:─<{}} epoch {}/{}, accuracy {:.3f}\033[K", label_,
                   "", done, "", 24 - done, epoch, epochs, accuracy);
        std::fflush(stderr);
    }

private:
    std::string label_;
    bool shown_;
};

}  // namespace trainer
