// SPDX-License-Identifier: BSD-3-Clause
// Scratch buffers of a communicator, kept from call to call. They are in memory that peers reach if
// the transport has such memory.
#pragma once

#include <collectives/run/space.hpp>
#include <collectives/transport/any_transport.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace collectives::inline v0::detail {

class scratch_pool {
public:
    explicit scratch_pool(std::shared_ptr<any_transport> t) : transport_(std::move(t)) {}
    scratch_pool(scratch_pool const&) = delete;
    scratch_pool& operator=(scratch_pool const&) = delete;
    ~scratch_pool() {
        for (auto const& b : free_) { release(b); }
    }

    struct buffer {
        std::byte* data = nullptr;
        std::size_t bytes = 0;
    };

    /// The smallest kept buffer that is large enough, else a new one. Sizes up to 1 MiB are rounded
    /// up to a power of two, so that calls of similar sizes share buffers. 0 bytes: an empty
    /// buffer.
    buffer take(std::size_t bytes) {
        if (bytes == 0) { return {}; }
        auto best = free_.end();
        for (auto i = free_.begin(); i != free_.end(); ++i) {
            if (i->bytes >= bytes && (best == free_.end() || i->bytes < best->bytes)) { best = i; }
        }
        if (best != free_.end()) {
            auto const found = *best;
            free_.erase(best);
            return found;
        }
        constexpr std::size_t least = 4096, large = 1024 * 1024;
        if (bytes <= large) { bytes = std::bit_ceil(std::max(bytes, least)); }
        return {static_cast<std::byte*>(take_memory(*transport_, bytes)), bytes};
    }
    /// Keeps a buffer for later. If there are too many, the smallest is freed.
    void give_back(buffer b) {
        constexpr std::size_t most = 12;
        if (b.data == nullptr) { return; }
        free_.reserve(most + 1);
        free_.push_back(b);
        if (free_.size() <= most) { return; }
        auto const least =
            std::min_element(free_.begin(), free_.end(),
                             [](auto const& x, auto const& y) { return x.bytes < y.bytes; });
        release(*least);
        free_.erase(least);
    }
    /// Like give_back, for a buffer that cancelled messages may still use.
    void abandon(buffer b) {
        if (!transport_->keeps_memory()) { return give_back(b); }
        if (b.data == nullptr) { return; }
        transport_->keep(std::shared_ptr<void const>(b.data, [](void const* p) {
            ::operator delete(const_cast<void*>(p), std::align_val_t{64});
        }));
    }

private:
    void release(buffer b) { give_memory_back(*transport_, b.data, b.bytes); }

    std::shared_ptr<any_transport> transport_;
    std::vector<buffer> free_;
};

}  // namespace collectives::detail
