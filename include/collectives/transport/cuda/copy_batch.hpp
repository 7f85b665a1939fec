// SPDX-License-Identifier: BSD-3-Clause
// Collects copies until something must come after them, so that one kernel makes them all: a start
// costs more than a small copy.
#pragma once

#include <collectives/core/device_copy.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/list_view.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>

namespace collectives::inline v0::cuda {

class copy_batch {
public:
    /// Whether copies of so many bytes can be made in any order with those that were collected, and
    /// these are not too many to ask. O(places * places collected).
    bool takes(list_view<std::byte* const> to, void const* from, std::size_t bytes) const {
        auto const first = static_cast<std::byte const*>(from);
        return all_.size() < most &&
               std::none_of(all_.begin(), all_.end(), [&](copy_range const& its) {
                   return overlap(its.to, its.bytes, first, bytes) ||
                          std::any_of(to.begin(), to.end(), [&](std::byte const* p) {
                              return overlap(its.to, its.bytes, p, bytes) ||
                                     overlap(its.from, its.bytes, p, bytes);
                          });
               });
    }
    void add(list_view<std::byte* const> to, void const* from, std::size_t bytes) {
        for (auto* const p : to) {
            all_.push_back({p, static_cast<std::byte const*>(from), bytes});
        }
    }
    /// Enqueues the copies.
    void start(copy_function with, void* queue) {
        if (all_.empty()) { return; }
        lean_vector<std::byte*> places;
        for (auto const& one : all_) { places.push_back(one.to); }
        lean_vector<copy_task> tasks;
        for (std::size_t i = 0, end = 0; i < all_.size(); i = end) {
            auto const is_same = [&](copy_range const& its) {
                return its.from == all_[i].from && its.bytes == all_[i].bytes;
            };
            while (end < all_.size() && is_same(all_[end])) { ++end; }
            tasks.push_back({all_[i].from, all_[i].bytes, {places.data() + i, end - i}});
        }
        all_.clear();
        with({tasks.data(), tasks.size()}, queue);
    }

private:
    static constexpr std::size_t most = 128;  // as many as one kernel takes

    static bool overlap(std::byte const* a, std::size_t of_a, std::byte const* b,
                        std::size_t of_b) {
        std::less<> const before;
        return before(a, b + of_b) && before(b, a + of_a);
    }
    struct copy_range {
        std::byte* to;
        std::byte const* from;
        std::size_t bytes;
    };
    lean_vector<copy_range> all_;
};

}  // namespace collectives::cuda
