// SPDX-License-Identifier: BSD-3-Clause
// Descriptors that close themselves.
#pragma once

#include <unistd.h>

#include <utility>

namespace collectives::inline v0 {

/// A descriptor that closes itself.
class descriptor {
public:
    explicit descriptor(int fd = -1) : fd_(fd) {}
    descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~descriptor() { reset(); }

    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }
    void reset() {
        if (fd_ >= 0) { ::close(release()); }
    }

private:
    int fd_;
};

}  // namespace collectives
