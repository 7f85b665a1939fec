// SPDX-License-Identifier: BSD-3-Clause
// Any algorithm as a value: what options hold, and what is chosen when the program runs.
#pragma once

#include <collectives/core/deferred.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>
#include <collectives/schedule/schedule.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace collectives {

/// Leaves the choice of the algorithm to the library.
struct automatic {
    static constexpr std::string_view name = "automatic";
    friend constexpr bool operator==(automatic, automatic) = default;
};

namespace detail {

/// The algorithm of this type with this parameter, if it takes one.
template <algorithm A>
constexpr A made_of([[maybe_unused]] int parameter) {
    if constexpr (has_a_parameter<A>) {
        return A{parameter};
    } else {
        return A{};
    }
}

/// What `any_algorithm` points to, one per type. The functions emit steps and nothing more; the
/// checker and the cost model are compiled once for all.
struct algorithm_table {
    std::string_view name;
    bool has_parameter = false;
    bool (*fits)(int parameter, int size) = nullptr;
    outline (*plan)(int parameter, collective, int size, rank_t root) = nullptr;
    void (*append)(int parameter, outline const&, rank_t me, std::vector<step>& out) = nullptr;
};

template <algorithm A>
struct functions_of {
    static constexpr bool fits(int parameter, int size) {
        return collectives::fits(made_of<A>(parameter), size);
    }
    static outline plan(int parameter, collective what, int size, rank_t root) {
        return outline_of(made_of<A>(parameter), what, size, root);
    }
    static void append(int parameter, outline const& plan, rank_t me, std::vector<step>& out) {
        append_steps(made_of<A>(parameter), plan, me, out);
    }
};

template <algorithm A>
inline constexpr algorithm_table table_of{A::name, has_a_parameter<A>, &functions_of<A>::fits,
                                          &functions_of<A>::plan, &functions_of<A>::append};

inline constexpr algorithm_table automatic_table{automatic::name};

}  // namespace detail

class any_algorithm;

/// "ring", "hierarchical:4": what `parse_algorithm` makes an algorithm of.
template <class = void>  // compiled only where it is called
std::string name(any_algorithm a);

/// A pointer and a parameter. Converts from every algorithm; by default it is `automatic`, which
/// has a name and no steps. Two are equal if they are the same type with the same parameter.
class any_algorithm {
public:
    constexpr any_algorithm() = default;
    constexpr any_algorithm(automatic) {}
    template <algorithm A>
    constexpr any_algorithm(A a) : table_(&detail::table_of<A>) {
        if constexpr (has_a_parameter<A>) { parameter_ = a.parameter(); }
    }

    constexpr bool is_automatic() const { return table_ == &detail::automatic_table; }
    /// Whether it is of this type, whatever the parameter.
    template <algorithm A>
    constexpr bool is() const {
        return table_ == &detail::table_of<A>;
    }
    /// The name of the type; see the free function `name` for one with the parameter in it.
    constexpr std::string_view name() const { return table_->name; }
    constexpr bool has_parameter() const { return table_->has_parameter; }
    constexpr int parameter() const { return parameter_; }
    /// Whether it is for so many ranks.
    constexpr bool fits(int size) const { return is_automatic() || table_->fits(parameter_, size); }

    /// As the free function `record`. A size that it does not fit, a root that is none, or
    /// `automatic`, is a usage_error in all three.
    schedule record(collective what, rank_t me, int size, rank_t root = 0) const {
        auto const plan = outline_of(what, size, root);
        if (me < 0 || me >= size) { throw usage_error("there is no such rank"); }
        schedule result{what, size, me, root, plan.chunks, plan.rounds, {}};
        table_->append(parameter_, plan, me, result.steps);
        return result;
    }

    /// As the free function `record_all`.
    template <class X = void>
    std::vector<schedule> record_all(collective what, int size, rank_t root = 0) const {
        auto const plan = outline_of(what, size, root);
        deferred<std::vector<schedule>, X> result;
        for (rank_t r = 0; r < size; ++r) {
            result.push_back({what, size, r, root, plan.chunks, plan.rounds, {}});
            table_->append(parameter_, plan, r, result.back().steps);
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
            table_->append(parameter_, plan, r, steps);
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
        if (!fits(size)) {
            throw usage_error(text_of(collectives::name(*this), " is not for ", size, " ranks"));
        }
        return table_->plan(parameter_, what, size, root);
    }

    detail::algorithm_table const* table_ = &detail::automatic_table;
    int parameter_ = 0;
};

template <class>
std::string name(any_algorithm a) {
    return a.has_parameter() ? text_of(a.name(), ":", a.parameter()) : std::string(a.name());
}

}  // namespace collectives
