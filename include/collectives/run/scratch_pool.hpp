// SPDX-License-Identifier: BSD-3-Clause
// Scratch buffers of a communicator, kept from call to call. They are in memory that peers reach if
// the transport has such memory.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/run/space.hpp>
#include <collectives/transport/any_transport.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace collectives::inline v0::detail {

class scratch_pool {
public:
    explicit scratch_pool(shared_pointer<any_transport> const& t)
        : transport_(t), longest_(transport_->device() == nullptr ? 256 : std::uint64_t(-1)) {
        free_.reserve(most_kept + 1);
    }
    scratch_pool(scratch_pool const&) = delete;
    scratch_pool& operator=(scratch_pool const&) = delete;
    [[gnu::cold]] ~scratch_pool() {
        for (auto const& k : free_) { release(k.memory); }
    }

    struct buffer {
        std::byte* data = nullptr;
        std::size_t bytes = 0;
    };

    /// The smallest kept buffer that is large enough, else a new one. Sizes up to 1 MiB are rounded
    /// up to a power of two, so that calls of similar sizes share buffers. 0 bytes: an empty
    /// buffer. A kept buffer of more than that is freed when no call has needed it for long.
    buffer take(std::size_t bytes) {
        ++takes_;
        free_large_buffers();
        if (bytes == 0) { return {}; }
        if (bytes <= large) { bytes = std::bit_ceil(std::max(bytes, least)); }
        auto best = free_.end();
        for (auto i = free_.begin(); i != free_.end(); ++i) {
            auto const has = i->memory.bytes;
            if (has >= bytes && has <= largest_for(bytes) &&
                (best == free_.end() || has < best->memory.bytes)) {
                best = i;
            }
        }
        if (best != free_.end()) {
            auto const found = best->memory;
            free_.erase(best);
            return found;
        }
        return {static_cast<std::byte*>(take_memory(*transport_, bytes)), bytes};
    }
    /// Keeps a buffer for later. If there are too many, the longest kept is freed. Does not throw.
    void give_back(buffer b) {
        if (b.data != nullptr) { keep(b); }
    }
    /// Like give_back, for a buffer that cancelled messages may still use.
    [[gnu::cold]] void abandon(buffer b) {
        if (!transport_->keeps_memory()) { return give_back(b); }
        if (b.data == nullptr) { return; }
        try {
            auto const memory = make_shared_object<in_use>();
            transport_->keep(memory);
            memory->data = b.data;
        } catch (std::bad_alloc const&) {}  // then it stays for as long as the process lives
    }

private:
    static constexpr std::size_t least = 4096, large = 1024 * 1024, most_kept = 12;

    /// Frees what messages might still use when the transport says that none does.
    struct in_use {
        in_use() = default;
        in_use(in_use const&) = delete;
        ~in_use() { ::operator delete(data, std::align_val_t{64}); }
        void* data = nullptr;
    };
    struct kept {
        buffer memory;
        std::uint64_t since;  // takes_ when it came back
    };

    /// A small call leaves huge buffers alone, so that they are freed when only small calls follow.
    static std::size_t largest_for(std::size_t bytes) { return std::max(16 * bytes, large); }

    /// Frees one that no call has needed for long. Smaller ones stay, so that calls which are under
    /// way together now and then allocate nothing.
    void free_large_buffers() {
        auto* const old = free_.find_if([](auto const& k) { return k.memory.bytes > large; });
        if (old != free_.end() && takes_ - old->since > longest_) { drop(old); }
    }
    [[gnu::noinline]] void keep(buffer b) {
        free_.push_back({b, takes_});
        if (free_.size() > most_kept) { drop(free_.begin()); }
    }
    [[gnu::cold]] void drop(lean_vector<kept>::iterator which) {
        release(which->memory);
        free_.erase(which);
    }
    void release(buffer b) { give_memory_back(*transport_, b.data, b.bytes); }

    shared_pointer<any_transport> transport_;
    std::uint64_t takes_ = 0;
    std::uint64_t longest_;   // an unused buffer stays for so many calls; freeing stalls a device
    lean_vector<kept> free_;  // the longest kept first
};

}  // namespace collectives::detail
