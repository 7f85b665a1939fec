// SPDX-License-Identifier: BSD-3-Clause
// Takes numbers and texts out of what a fuzzer made up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

namespace fuzz {

/// Ends the process where the library does what it must not: the fuzzer keeps the input.
inline void require(bool holds) {
    if (!holds) { std::abort(); }
}

class bytes {
public:
    bytes(std::uint8_t const* data, std::size_t size) : left_(data, size) {}

    bool empty() const { return left_.empty(); }
    /// The bytes that are missing are zero.
    template <class T>
    T take() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value{};
        auto const n = std::min(sizeof value, left_.size());
        if (n > 0) { std::memcpy(static_cast<void*>(&value), left_.data(), n); }
        left_ = left_.subspan(n);
        return value;
    }
    /// Fills a place with what comes next; the bytes that are missing are zero.
    void fill(std::byte* place, std::size_t bytes) {
        auto const n = std::min(bytes, left_.size());
        std::copy_n(std::as_bytes(left_).begin(), n, place);
        std::fill_n(place + n, bytes - n, std::byte{});
        left_ = left_.subspan(n);
    }
    /// All that is left.
    std::string text() {
        std::string const result(left_.begin(), left_.end());
        left_ = {};
        return result;
    }
    std::span<std::byte const> rest() const { return std::as_bytes(left_); }

private:
    std::span<std::uint8_t const> left_;
};

}  // namespace fuzz
