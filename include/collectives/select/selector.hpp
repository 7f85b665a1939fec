// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm `automatic` takes: the one that is predicted to be quickest among those that may.
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/select/model.hpp>
#include <collectives/select/override.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace collectives {

/// What a call asks of its algorithm. Only what is equal on all ranks.
struct requirement {
    collective what = collective::all_reduce;
    int size = 1;
    rank_t root = 0;
    bool order = false;      // the operator does not commute
    bool left_fold = false;  // `.reproducible`
};

/// What `explain` says: the choice, why, and what each algorithm was predicted to take.
struct explanation {
    struct prediction {
        any_algorithm algorithm;
        double seconds = 0;
    };
    any_algorithm algorithm;
    std::string why;
    std::vector<prediction> predictions;  // quickest first
};

/// Remembers proofs and counted costs, which take a while for many ranks. One per communicator.
class selector {
public:
    /// Whether an algorithm may be used, from what the checker derived.
    bool suits(any_algorithm a, requirement const& need) {
        if (!need.order && !need.left_fold) { return true; }
        auto const proof = proof_of(a, need);
        return proof.ok && (!need.order || proof.order_preserving) &&
               (!need.left_fold || proof.left_fold);
    }

    any_algorithm choose(requirement const& need, std::size_t bytes) {
        if (auto const told = overridden(need, bytes)) { return *told; }
        any_algorithm best;
        auto least = std::numeric_limits<double>::infinity();
        for (auto const& p : profiles(need.what, need.size)) {
            auto const seconds = p.seconds(model_, bytes);
            if (seconds < least && suits(p.algorithm, need)) {
                least = seconds;
                best = p.algorithm;
            }
        }
        return best;
    }

    explanation explain(requirement const& need, std::size_t bytes) {
        explanation result;
        for (auto const& p : profiles(need.what, need.size)) {
            if (suits(p.algorithm, need)) {
                result.predictions.push_back({p.algorithm, p.seconds(model_, bytes)});
            }
        }
        std::stable_sort(result.predictions.begin(), result.predictions.end(),
                         [](auto const& a, auto const& b) { return a.seconds < b.seconds; });
        result.algorithm = choose(need, bytes);
        auto const head = std::string(name(need.what)) + " of " + std::to_string(bytes) +
                          " bytes over " + std::to_string(need.size) +
                          " ranks: " + std::string(result.algorithm.name());
        result.why = head + (overridden(need, bytes)
                                 ? ", as the environment says"
                                 : ", predicted to be the quickest from its counted cost");
        for (auto const& p : result.predictions) {
            auto const ns = static_cast<long long>(p.seconds * 1e9 + 0.5);
            result.why +=
                "\n  " + std::string(p.algorithm.name()) + ": " + std::to_string(ns) + " ns";
        }
        return result;
    }

    /// The names of the algorithms that may be used.
    std::string names_that_suit(requirement const& need) {
        std::string names;
        for (auto const a : all_algorithms) {
            if (suits(a, need)) { names += (names.empty() ? "" : ", ") + std::string(a.name()); }
        }
        return names;
    }

private:
    std::optional<any_algorithm> overridden(requirement const& need, std::size_t bytes) {
        auto const [i, fresh] = rules_.try_emplace(need.what);
        if (fresh) { i->second = override_of(need.what); }
        for (auto const& rule : i->second) {
            if (bytes >= rule.from && bytes < rule.to && !rule.algorithm.is_automatic() &&
                suits(rule.algorithm, need)) {
                return rule.algorithm;
            }
        }
        return {};
    }
    std::vector<cost_profile> const& profiles(collective what, int size) {
        auto const [i, fresh] = profiles_.try_emplace({what, size});
        if (fresh) {
            for (auto const a : all_algorithms) {
                i->second.push_back(cost_profile::of(a, what, size));
            }
        }
        return i->second;
    }
    proof const& proof_of(any_algorithm a, requirement const& need) {
        auto const [i, fresh] =
            proofs_.try_emplace({std::string(a.name()), need.what, need.size, need.root});
        if (fresh) { i->second = a.check(need.size, need.what, need.root); }
        return i->second;
    }

    machine_model model_;
    std::map<std::pair<collective, int>, std::vector<cost_profile>> profiles_;
    std::map<std::tuple<std::string, collective, int, rank_t>, proof> proofs_;
    std::map<collective, std::vector<override_rule>> rules_;
};

}  // namespace collectives
