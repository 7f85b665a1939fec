// SPDX-License-Identifier: BSD-3-Clause
// What happens before what: events on chains, edges between them, and vector clocks.
#pragma once

#include <collectives/core/lean_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::plans {

/// Events of a chain follow each other. Besides the edges that order accesses, there are edges that
/// only hold up: no event happens against them, but they promise no order of accesses, because that
/// depends on the transport.
class event_graph {
public:
    /// Adds an event to `chain`. Only edges order it after the earlier events of the chain.
    int add(int chain) {
        events_.push_back({chain, 0});
        return static_cast<int>(events_.size()) - 1;
    }
    void order(int before, int after) {
        if (before >= 0) { edges_.push_back({before, after, true}); }
    }
    void hold_up(int before, int after) {
        if (before >= 0) { edges_.push_back({before, after, false}); }
    }
    int size() const { return static_cast<int>(events_.size()); }

    /// Sorts the events so that each comes after what it depends on, and computes their clocks.
    /// Returns false if some wait for each other in a circle; `stuck()` is then one of them.
    bool sort() {
        auto const n = events_.size();
        lean_vector<int> missing(n), first(n + 1);
        for (auto const& e : edges_) {
            ++first[index(e.before) + 1];
            ++missing[index(e.after)];
        }
        for (std::size_t i = 0; i < n; ++i) { first[i + 1] += first[i]; }
        lean_vector<edge> by_source(edges_.size());
        auto next = first;
        for (auto const& e : edges_) { by_source[index(next[index(e.before)]++)] = e; }
        chains_ = 0;
        for (auto const& e : events_) { chains_ = std::max(chains_, e.chain + 1); }
        clocks_.assign(n * index(chains_), 0);
        lean_vector<std::uint32_t> length(index(chains_));
        order_.clear();
        for (std::size_t i = 0; i < n; ++i) {
            if (missing[i] == 0) { order_.push_back(static_cast<int>(i)); }
        }
        for (std::size_t k = 0; k < order_.size(); ++k) {
            auto const now = index(order_[k]);
            auto& self = events_[now];
            self.position = ++length[index(self.chain)];
            clock(now)[self.chain] = self.position;
            for (auto i = first[now]; i < first[now + 1]; ++i) {
                auto const& e = by_source[index(i)];
                if (e.orders) { join(index(e.after), now); }
                if (--missing[index(e.after)] == 0) { order_.push_back(e.after); }
            }
        }
        if (order_.size() == n) { return true; }
        stuck_ = static_cast<int>(
            std::find_if(missing.begin(), missing.end(), [](int m) { return m > 0; }) -
            missing.begin());
        return false;
    }
    lean_vector<int> const& sorted() const { return order_; }
    int stuck() const { return stuck_; }

    /// Whether `a` always happens before `b`. Events of one chain that no edge orders are not seen
    /// as such: each chain must be ordered by edges.
    bool before(int a, int b) const {
        auto const& e = events_[index(a)];
        return clocks_[index(b) * index(chains_) + index(e.chain)] >= e.position;
    }

private:
    struct event {
        int chain = 0;
        std::uint32_t position = 0;
    };
    struct edge {
        int before = 0, after = 0;
        bool orders = true;
    };

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    std::uint32_t* clock(std::size_t i) { return clocks_.data() + i * index(chains_); }
    void join(std::size_t to, std::size_t from) {
        auto* const a = clock(to);
        auto const* const b = clock(from);
        for (int c = 0; c < chains_; ++c) { a[c] = std::max(a[c], b[c]); }
    }

    lean_vector<event> events_;
    lean_vector<edge> edges_;
    lean_vector<int> order_;
    lean_vector<std::uint32_t> clocks_;
    int chains_ = 0;
    int stuck_ = -1;
};

}  // namespace collectives::plans
