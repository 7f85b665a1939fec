// SPDX-License-Identifier: BSD-3-Clause
// Chooses for `automatic`: the algorithm with the shortest predicted time among those that suit.
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/select/cost_profile.hpp>
#include <collectives/select/explanation.hpp>
#include <collectives/select/hosts.hpp>
#include <collectives/select/override.hpp>

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

namespace collectives::inline v0::detail {

/// What a call requires of its algorithm. Holds only what is equal on all ranks.
struct requirement {
    collective what = collective::all_reduce;
    int size = 1;
    rank_t root = 0;
    bool order = false;      // the operator does not commute
    bool left_fold = false;  // `.reproducible`
};

/// Remembers proofs and counted costs, which take a while for many ranks. One per communicator, so
/// all requirements are for one size. If hosts have several ranks each, `hierarchical` is a
/// candidate too.
class selector {
public:
    machine_model const& model() const { return model_; }
    void use(machine_model const& m) { model_ = m; }
    /// Sets the hosts of the ranks. Call it before anything is chosen.
    void place(host_layout&& hosts) { hosts_ = std::move(hosts); }

    /// Prefers `a` for an all_reduce, if it suits.
    void prefer(any_algorithm a) { preferred_ = a; }

    /// Whether an algorithm suits, from what the checker derived.
    [[gnu::cold, gnu::noinline]] bool suits(any_algorithm a, requirement const& need) {
        if (!a.fits(need.size)) { return false; }
        auto const proof = proof_of(a, need);
        return proof.ok && (!need.order || proof.order_preserving) &&
               (!need.left_fold || proof.left_fold);
    }

    /// What the environment asks for, if that suits; else `automatic`.
    any_algorithm overridden(requirement const& need, std::size_t bytes) {
        auto& [read, rules] = rules_[static_cast<std::size_t>(need.what)];
        if (!read) {
            rules = override_of(need.what);
            read = true;
        }
        for (auto const& rule : rules) {
            if (bytes >= rule.from && bytes < rule.to && !rule.algorithm.is_automatic() &&
                suits(rule.algorithm, need)) {
                return rule.algorithm;
            }
        }
        return {};
    }
    [[gnu::cold]] any_algorithm choose(requirement const& need, std::size_t bytes) {
        if (auto const told = overridden(need, bytes); !told.is_automatic()) { return told; }
        if (is_preferred(need)) { return preferred_; }
        any_algorithm best;
        auto least = std::numeric_limits<double>::infinity();
        for (auto const& p : profiles(need)) {
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
        for (auto const& p : profiles(need)) {
            if (suits(p.algorithm, need)) {
                add(result.predictions, {p.algorithm, p.seconds(model_, bytes)});
            }
        }
        result.algorithm = choose(need, bytes);
        auto const head = text_of(name(need.what), " of ", bytes, " bytes over ", need.size,
                                  " ranks: ", name(result.algorithm));
        result.why = text_of(
            head, (!overridden(need, bytes).is_automatic() ? ", as the environment says"
                   : is_preferred(need)                    ? ", since ranks share a device"
                                        : ", predicted to be the quickest from its counted cost"));
        for (auto const& p : result.predictions) {
            auto const ns = static_cast<long long>(p.seconds * 1e9 + 0.5);
            add_text(result.why, "\n  ", name(p.algorithm), ": ", ns, " ns");
        }
        if (!hosts_.disorder().empty()) {
            add_text(result.why, "\n  not hierarchical: ", hosts_.disorder());
        }
        return result;
    }

    /// The names of the algorithms that suit.
    [[gnu::cold]] std::string names_that_suit(requirement const& need) {
        std::string names;
        for (std::size_t i = 0; !known_algorithm(i).is_automatic(); ++i) {
            auto const a = known_algorithm(i);
            if (suits(a, need)) { add_text(names, (names.empty() ? "" : ", "), name(a)); }
        }
        return names;
    }

    /// The checker's verdict, remembered. The library's own algorithms are proved by its tests; a
    /// user's is proved here, in O(steps of all ranks) the first time.
    [[gnu::cold]] proof proof_of(any_algorithm a, requirement const& need) {
        auto const prove = [&] { return a.verdict(need.size, need.what, need.root); };
        if (a.states_its_sums()) { return prove(); }
        for (auto const& p : proofs_) {
            if (p.of == a && p.about.what == need.what && p.about.root == need.root) {
                return p.verdict;
            }
        }
        proofs_.push_back({need, a, prove()});
        return proofs_.back().verdict;
    }

private:
    /// Leaders are always preferred for sums. For copies, only where one leads all: between
    /// devices it would send whole vectors to each.
    bool is_preferred(requirement const& need) {
        auto const copies =
            need.what == collective::all_gather || need.what == collective::broadcast;
        auto const by_one = copies && preferred_.parameter() == need.size;
        return (need.what == collective::all_reduce || by_one) && !preferred_.is_automatic() &&
               suits(preferred_, need);
    }
    struct kept_proof {
        requirement about;
        any_algorithm of;
        proof verdict;
    };

    static void add(lean_vector<explanation::prediction>& list, explanation::prediction p) {
        list.insert(list.find_if([&](auto const& other) { return other.seconds > p.seconds; }), p);
    }
    [[gnu::cold]] lean_vector<cost_profile> const& profiles(requirement const& need) {
        auto& made = profiles_[static_cast<std::size_t>(need.what)];
        if (made.empty()) {
            auto const add_one = [&](any_algorithm a) {
                made.push_back(cost_profile::of(a, need.what, need.size, hosts_));
            };
            for (std::size_t i = 0; !known_algorithm(i).is_automatic(); ++i) {
                auto const a = known_algorithm(i);
                if (proof_of(a, need).ok) { add_one(a); }
            }
            if (hosts_.ranks_per_host() > 1) { add_one(hierarchical{hosts_.ranks_per_host()}); }
        }
        return made;
    }
    struct rule_list {
        bool read = false;
        lean_vector<override_rule> rules;
    };

    machine_model model_;
    any_algorithm preferred_;
    host_layout hosts_;
    std::array<lean_vector<cost_profile>, scheduled_collectives.size()> profiles_;
    std::array<rule_list, scheduled_collectives.size()> rules_;
    lean_vector<kept_proof> proofs_;
};

}  // namespace collectives::detail
