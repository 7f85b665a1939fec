// SPDX-License-Identifier: BSD-3-Clause
// What all processes of a test share: the devices' memory, which is a file, what is known of it,
// and events.
#pragma once

#include <cuda/fake_stream.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace fake {

/// What the processes of a test share: make it before they are forked.
class world {
public:
    static constexpr std::size_t most_allocations = 1 << 14, most_events = 1 << 14;

    struct allocation {
        std::atomic<std::uint64_t> id;  // 0: gone
        std::uint64_t offset, bytes, base;
        std::int64_t owner;
    };
    struct state {
        std::atomic<std::uint64_t> allocations, ids, offsets, events;
        std::atomic<int> told;  // ranks that a test waits to hear of
        allocation allocation_at[most_allocations];
        event_state event_at[most_events];
    };

    world() {
        file_ = ::memfd_create("fake device", MFD_CLOEXEC);
        if (file_ < 0 || ::ftruncate(file_, off_t{1} << 40) != 0) {
            throw std::runtime_error("memfd");
        }
        auto* const p = ::mmap(nullptr, sizeof(state), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) { throw std::runtime_error("mmap"); }
        state_ = static_cast<state*>(p);
    }
    world(world const&) = delete;
    world& operator=(world const&) = delete;
    ~world() {
        ::munmap(state_, sizeof(state));
        ::close(file_);
    }
    state& shared() const { return *state_; }
    int file() const { return file_; }
    /// A part of the file, at this address if that is free.
    void* map(void* at, std::size_t bytes, std::uint64_t offset) const {
        auto const how = MAP_SHARED | (at == nullptr ? 0 : MAP_FIXED_NOREPLACE);
        auto* const p =
            ::mmap(at, bytes, PROT_READ | PROT_WRITE, how, file_, static_cast<off_t>(offset));
        if (p == MAP_FAILED && at != nullptr) { return map(nullptr, bytes, offset); }
        if (p == MAP_FAILED) { throw std::runtime_error("mmap"); }
        return p;
    }

    int devices = 2;
    bool peers_reach = true;
    bool events_cross = true;  // between processes
    bool words = true,
         words_flush = true;      // streams wait for words; and for what was written before
    bool words_are_lost = false;  // they say so, but nothing comes
    bool reaches_host = false;    // the device reads any memory of the host, as some can
    int share = 0;                // percent of a device that a process has, under MPS
    int laziness = 8;             // one task in so many comes late; 0: none

private:
    int file_ = -1;
    state* state_ = nullptr;
};

}  // namespace fake
