// SPDX-License-Identifier: BSD-3-Clause
// Finds which schedules move blocks through ranks that they do not belong to.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/lower/call_shape.hpp>
#include <collectives/schedule/any_algorithm.hpp>

namespace collectives::inline v0::detail {

/// Remembers the answers.
class forwarding_cache {
public:
    bool passes_on(any_algorithm a, lowering::call_shape const& shape) {
        for (auto const& k : known_) {
            if (k.algorithm == a && k.what == shape.what && k.root == shape.root) {
                return k.passes_on;
            }
        }
        auto passes_on = false;
        for (auto const& own : a.record_all(shape.what, shape.size, shape.root)) {
            for (auto const& s : own.steps) {
                auto const at_root = own.rank == shape.root;
                passes_on = passes_on || (!at_root && s.chunks != chunk_range{own.rank, 1});
            }
        }
        known_.push_back({a, shape.what, shape.root, passes_on});
        return passes_on;
    }

private:
    struct answer {
        any_algorithm algorithm;
        collective what{};
        rank_t root = 0;
        bool passes_on = false;
    };
    lean_vector<answer> known_;
};

}  // namespace collectives::detail
