// SPDX-License-Identifier: BSD-3-Clause
// Calls that are to fail.
#pragma once

#include <map>
#include <mutex>
#include <string>

namespace fake {

/// From any thread.
class faults {
public:
    /// The n-th call of this name from now on, and all after it.
    void add(std::string const& call, int n) {
        std::lock_guard const lock(mutex_);
        to_come_[call] = n;
    }
    /// Whether this call of that name is one of them.
    bool are_due(std::string const& call) {
        std::lock_guard const lock(mutex_);
        auto const found = to_come_.find(call);
        return found != to_come_.end() && --found->second <= 0;
    }

private:
    std::mutex mutex_;
    std::map<std::string, int> to_come_;
};

}  // namespace fake
