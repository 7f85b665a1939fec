// SPDX-License-Identifier: BSD-3-Clause
// Vectors that are too large to be there.
#pragma once

#include <doctest/doctest.h>

#include <sys/mman.h>

#include <cstddef>

namespace conformance {

/// Address space without memory: a page is there once it is written to.
class address_range {
public:
    explicit address_range(std::size_t bytes)
        : bytes_(bytes),
          at_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        REQUIRE(at_ != MAP_FAILED);
    }
    address_range(address_range const&) = delete;
    address_range& operator=(address_range const&) = delete;
    ~address_range() { ::munmap(at_, bytes_); }
    std::span<std::uint8_t> span() const { return {static_cast<std::uint8_t*>(at_), bytes_}; }

private:
    std::size_t bytes_;
    void* at_;
};

}  // namespace conformance
