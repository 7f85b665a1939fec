// SPDX-License-Identifier: BSD-3-Clause
// Chooses the bucket that starts next, if more are ready than may travel. Equal on all ranks.
#pragma once

#include <collectives/core/lean_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::detail {

/// Things that became ready in the same order on all ranks, but not at the same time.
template <class Thing>
class ready_list {
public:
    void add(Thing const& what, int priority) { waiting_.push_back({what, priority, ready_++}); }
    void reserve(std::size_t n) { waiting_.reserve(n); }
    bool empty() const { return waiting_.empty(); }
    /// How many were ever added.
    std::uint64_t ready() const { return ready_; }
    /// Takes the thing of the highest priority, of equals the first, among the first `on_all` that
    /// were ever added: these are ready on all ranks. One of them must be left.
    Thing take(std::uint64_t on_all) {
        auto const end = std::find_if(waiting_.begin(), waiting_.end(),
                                      [&](auto const& w) { return w.number >= on_all; });
        auto const first = std::max_element(
            waiting_.begin(), end, [](auto& a, auto& b) { return a.priority < b.priority; });
        auto const result = first->what;
        waiting_.erase(first);
        return result;
    }
    lean_vector<Thing> take_all() {
        lean_vector<Thing> all;
        for (auto const& w : waiting_) { all.push_back(w.what); }
        waiting_.clear();
        return all;
    }

private:
    struct entry {
        Thing what;
        int priority;
        std::uint64_t number;
    };
    lean_vector<entry> waiting_;  // in the order in which they became ready
    std::uint64_t ready_ = 0;
};

}  // namespace collectives::detail
