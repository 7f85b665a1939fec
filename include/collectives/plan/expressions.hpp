// SPDX-License-Identifier: BSD-3-Clause
// Values as symbols: contributions, and sums that keep their brackets. Equal values have the same
// number.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/types.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace collectives::inline v0::plans {

class expressions {
public:
    /// Element `element` of a rank's contribution to a call.
    int contribution(int call, rank_t rank, std::size_t element) {
        return number({-1, call, rank, static_cast<int>(element)});
    }
    /// The sum of the operands in this order. `completes`: the operator's `finish` is applied too.
    int sum(lean_vector<int> const& operands, bool completes) {
        key_.assign(1, completes ? -3 : -2);
        key_.append(operands.begin(), operands.end());
        return number(key_);
    }

private:
    struct hash {
        std::size_t operator()(lean_vector<int> const& key) const {
            std::uint64_t h = 1469598103934665603U;
            for (auto const k : key) {
                h = (h ^ static_cast<std::uint32_t>(k)) * 1099511628211U;
                h ^= h >> 29;
            }
            return static_cast<std::size_t>(h);
        }
    };
    int number(lean_vector<int> const& key) {
        return known_.try_emplace(key, static_cast<int>(known_.size())).first->second;
    }

    lean_vector<int> key_;
    std::unordered_map<lean_vector<int>, int, hash> known_;
};

}  // namespace collectives::plans
