// SPDX-License-Identifier: BSD-3-Clause
// Writes and reads numbers and bytes for another machine: little-endian, of fixed size.
#pragma once

#include <collectives/core/bootstrap.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <span>

namespace collectives::inline v0::bootstraps {

using bytes_view = std::span<std::byte const>;

/// 32 bytes: a digest, a proof, a number used once.
using block = std::array<std::byte, 32>;

/// Writes values one after the other.
class writer {
public:
    template <std::unsigned_integral T>
    writer& put(T number) {
        for (std::size_t i = 0; i < sizeof number; ++i) {
            bytes_.push_back(static_cast<std::byte>(number >> (8 * i) & 0xff));
        }
        return *this;
    }
    writer& put(bytes_view more) {
        bytes_.insert(bytes_.end(), more.begin(), more.end());
        return *this;
    }
    bootstrap_bytes const& bytes() const { return bytes_; }

private:
    bootstrap_bytes bytes_;
};

/// Reads values one after the other. Past the end it returns zeros, and `failed()` is true.
class reader {
public:
    explicit reader(bytes_view from) : rest_(from) {}

    template <std::unsigned_integral T>
    T number() {
        T result = 0;
        auto const from = take(sizeof(T));
        for (std::size_t i = 0; i < from.size(); ++i) {
            result = static_cast<T>(result | static_cast<T>(std::to_integer<T>(from[i]) << 8 * i));
        }
        return result;
    }
    block digest() {
        block result{};
        auto const from = take(result.size());
        for (std::size_t i = 0; i < from.size(); ++i) { result[i] = from[i]; }
        return result;
    }
    /// The next n bytes, or none if there are fewer.
    bytes_view take(std::size_t n) {
        if (n > rest_.size()) {
            failed_ = true;
            rest_ = {};
            return {};
        }
        auto const result = rest_.first(n);
        rest_ = rest_.subspan(n);
        return result;
    }
    bool failed() const { return failed_; }
    bytes_view rest() const { return rest_; }

private:
    bytes_view rest_;
    bool failed_ = false;
};

}  // namespace collectives::bootstraps
