// SPDX-License-Identifier: BSD-3-Clause
// Marks on a rank's stream: numbers that tell whether what was enqueued before is done.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/transport/cuda/calls.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace collectives::inline v0::cuda {

/// Each is an event, which is used again. The device must be current.
class event_pool {
public:
    explicit event_pool(call_table& calls) : calls_(calls) {}
    event_pool(event_pool const&) = delete;
    event_pool& operator=(event_pool const&) = delete;
    ~event_pool() = default;

    std::uint64_t set(stream on) {
        auto const e = spare();
        calls_.record(e, on);
        idle_.pop_back();
        set_.emplace_back(++last_, e);
        return last_;
    }
    /// A completion that has passed, as nothing is enqueued.
    std::uint64_t passed_completion() { return ++last_; }
    bool passed(std::uint64_t completion) {
        auto const found = std::find_if(set_.begin(), set_.end(), [completion](auto const& one) {
            return one.first == completion;
        });
        if (found == set_.end()) { return true; }  // all was waited for
        if (!calls_.passed(found->second)) { return false; }
        idle_.push_back(found->second);
        set_.erase(found);
        return true;
    }
    bool any() const { return !set_.empty(); }
    /// All have passed.
    void clear() {
        for (auto const& [number, e] : set_) { idle_.push_back(e); }
        set_.clear();
    }
    /// An event that nobody waits for.
    event spare() {
        if (idle_.empty()) { idle_.push_back(calls_.make_event(false)); }
        return idle_.back();
    }
    /// Before the device goes.
    void destroy() {
        clear();
        for (auto const e : std::exchange(idle_, {})) { calls_.destroy_event(e); }
    }

private:
    call_table& calls_;
    lean_vector<event> idle_;
    lean_vector<std::pair<std::uint64_t, event>> set_;
    std::uint64_t last_ = 0;
};

}  // namespace collectives::cuda
