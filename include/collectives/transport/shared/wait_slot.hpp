// SPDX-License-Identifier: BSD-3-Clause
// A place in shared memory for the point where a rank waits.
#pragma once

#include <collectives/core/wait_point.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::shared {

/// One rank stores, others load at any time. A load during a store finds nothing.
class wait_slot {
public:
    void store(wait_point const& at) {
        auto const its = std::bit_cast<words>(at);
        words_[0].store(0, std::memory_order_release);
        for (std::size_t i = its.size(); i-- > 0;) {
            words_[i].store(its[i], std::memory_order_release);
        }
    }
    wait_point load() const {
        words its{};
        for (std::size_t i = 0; i < its.size(); ++i) {
            its[i] = words_[i].load(std::memory_order_acquire);
        }
        auto const at = std::bit_cast<wait_point>(its);
        return words_[0].load(std::memory_order_acquire) == at.sequence ? at : wait_point{};
    }

private:
    using words = std::array<std::uint64_t, sizeof(wait_point) / sizeof(std::uint64_t)>;

    std::array<std::atomic<std::uint64_t>, sizeof(wait_point) / sizeof(std::uint64_t)> words_;
};

static_assert(sizeof(wait_slot) == sizeof(wait_point));

}  // namespace collectives::shared
