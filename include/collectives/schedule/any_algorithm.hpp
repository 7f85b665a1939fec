// SPDX-License-Identifier: BSD-3-Clause
// Any algorithm as a value: what options hold, and what is chosen when the program runs.
#pragma once

#include <collectives/core/deferred.hpp>
#include <collectives/core/error.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>
#include <collectives/schedule/schedule.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace collectives {

/// Leaves the choice of the algorithm to the library.
struct automatic {
    static constexpr std::string_view name = "automatic";
    friend constexpr bool operator==(automatic, automatic) = default;
};

namespace detail {

/// What `any_algorithm` points to, one per algorithm. The functions emit steps and nothing more;
/// the checker and the cost model are compiled once for all.
struct algorithm_table {
    std::string_view name;
    outline (*plan)(collective, int size, rank_t root) = nullptr;
    void (*append)(outline const&, rank_t me, std::vector<step>& out) = nullptr;
};

template <algorithm A>
inline constexpr algorithm_table table_of{A::name, &outline_of<A>, &append_steps<A>};

inline constexpr algorithm_table automatic_table{automatic::name};

}  // namespace detail

/// One pointer. Converts from every algorithm; by default it is `automatic`, which has a name and
/// no steps. Two are equal if they are the same type.
class any_algorithm {
public:
    constexpr any_algorithm() = default;
    constexpr any_algorithm(automatic) {}
    template <algorithm A>
    constexpr any_algorithm(A) : table_(&detail::table_of<A>) {}

    constexpr bool is_automatic() const { return table_ == &detail::automatic_table; }
    constexpr std::string_view name() const { return table_->name; }

    /// As the free function `record`. A root that is none, or `automatic`, is a usage_error in all
    /// three.
    schedule record(collective what, rank_t me, int size, rank_t root = 0) const {
        auto const plan = outline_of(what, size, root);
        if (me < 0 || me >= size) { throw usage_error("there is no such rank"); }
        schedule result{what, size, me, root, plan.chunks, plan.rounds, {}};
        table_->append(plan, me, result.steps);
        return result;
    }

    /// As the free function `record_all`.
    template <class X = void>
    std::vector<schedule> record_all(collective what, int size, rank_t root = 0) const {
        auto const plan = outline_of(what, size, root);
        deferred<std::vector<schedule>, X> result;
        for (rank_t r = 0; r < size; ++r) {
            result.push_back({what, size, r, root, plan.chunks, plan.rounds, {}});
            table_->append(plan, r, result.back().steps);
        }
        return result;
    }

    /// As the free function `check`.
    template <class X = void>
    proof check(int size, collective what = collective::all_reduce, rank_t root = 0) const {
        return collectives::check<X>(record_all<X>(what, size, root));
    }

    /// As the free function `cost_of`.
    template <class X = void>
    cost cost_of(int size, std::size_t bytes, collective what = collective::all_reduce,
                 rank_t root = 0) const {
        auto const plan = outline_of(what, size, root);
        detail::basic_cost_counter<X> counter(plan, bytes);
        deferred<std::vector<step>, X> steps;
        for (rank_t r = 0; r < size; ++r) {
            steps.clear();
            table_->append(plan, r, steps);
            counter.add(steps);
        }
        return counter.result();
    }

    friend constexpr bool operator==(any_algorithm, any_algorithm) = default;

private:
    detail::outline outline_of(collective what, int size, rank_t root) const {
        if (is_automatic()) { throw usage_error("automatic has no steps before it has chosen"); }
        if (size < 1 || root < 0 || root >= size) {
            throw usage_error("there is no such size or root");
        }
        return table_->plan(what, size, root);
    }

    detail::algorithm_table const* table_ = &detail::automatic_table;
};

constexpr std::string_view name(any_algorithm a) { return a.name(); }

}  // namespace collectives
