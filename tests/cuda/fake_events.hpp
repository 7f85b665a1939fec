// SPDX-License-Identifier: BSD-3-Clause
// A process's events: its own, and those of other processes that it has opened.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/transport/cuda/calls.hpp>

#include <cuda/fake_world.hpp>

#include <cstddef>
#include <cstring>
#include <mutex>
#include <set>
#include <vector>

namespace fake {

/// From any thread.
class event_table {
public:
    explicit event_table(world& w) : world_(w) {}

    event_state* take() {
        std::lock_guard const lock(mutex_);
        if (!free_.empty()) {
            auto* const e = free_.back();
            free_.pop_back();
            return e;
        }
        auto const n = world_.shared().events.fetch_add(1);
        if (n >= world::most_events) {
            throw collectives::transport_error("make_event: out of memory");
        }
        return &world_.shared().event_at[n];
    }
    void give_back(event_state* e) {
        std::lock_guard const lock(mutex_);
        if (!opened_.contains(e)) { free_.push_back(e); }
    }

    collectives::cuda::handle share(event_state const* e) const {
        collectives::cuda::handle h{};
        auto const n = e - world_.shared().event_at;
        std::memcpy(h.data(), &n, sizeof n);
        return h;
    }
    event_state* open(collectives::cuda::handle const& h) {
        std::ptrdiff_t n = 0;
        std::memcpy(&n, h.data(), sizeof n);
        auto* const e = &world_.shared().event_at[n];
        std::lock_guard const lock(mutex_);
        opened_.insert(e);
        return e;
    }

private:
    world& world_;
    std::mutex mutex_;
    std::vector<event_state*> free_;
    std::set<event_state*> opened_;
};

}  // namespace fake
