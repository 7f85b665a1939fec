// SPDX-License-Identifier: BSD-3-Clause
// Any algorithm as a value: what options hold, chosen when the program runs.
#pragma once

#include <collectives/core/compiled.hpp>
#include <collectives/core/lean_list.hpp>
#include <collectives/schedule/proof.hpp>
#include <collectives/schedule/schedule.hpp>
#include <collectives/schedule/traffic.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace collectives::inline v0 {

/// Leaves the choice of the algorithm to the library.
struct automatic {
    static constexpr std::string_view name = "automatic";  ///< what `parse_algorithm` calls it
    friend constexpr bool operator==(automatic, automatic) = default;
};

class any_algorithm;

namespace detail {

/// The table that `any_algorithm` points to, one per type. Its functions emit steps and nothing
/// more; the checker and the cost model are compiled once for all.
struct algorithm_table {
    std::string_view name;
    bool has_parameter = false;
    bool (*fits)(int parameter, int size) = nullptr;
    run_hints hints{};
    unsigned own = 0;
    decltype(step_source::chunks) chunks = nullptr;
    decltype(step_source::owner) owner = nullptr;
    decltype(step_source::emit) emit = nullptr;
    sum_order (*sums)(int parameter, collective what, int size) = nullptr;  // if it states them
    proof (*prove)(any_algorithm of, collective what, int size, rank_t root) = nullptr;  // else
};

template <algorithm A>
constexpr run_hints hints_of() {
    if constexpr (has_hints<A>) {
        return A::hints;
    } else {
        return {};
    }
}

template <algorithm A>
constexpr bool fits_with(int parameter, int size) {
    return collectives::fits(made_of<A>(parameter), size);
}

template <algorithm A>
constexpr sum_order sums_with(int parameter, collective what, int size) {
    return made_of<A>(parameter).sums({}, what, size);
}

proof prove_by_steps(any_algorithm of, collective what, int size, rank_t root);

template <algorithm A>
constexpr algorithm_table make_table() {
    algorithm_table table{
        A::name,         has_a_parameter<A>,       &fits_with<A>,           hints_of<A>(),
        own_patterns<A>, &functions_of<A>::chunks, &functions_of<A>::owner, &functions_of<A>::emit};
    if constexpr (states_its_sums<A>) {
        table.sums = &sums_with<A>;
    } else {
        table.prove = &prove_by_steps;
    }
    return table;
}
template <algorithm A>
inline constexpr algorithm_table table_of = make_table<A>();

inline constexpr algorithm_table automatic_table{automatic::name};

}  // namespace detail

/// The name with the parameter, such as "ring" or "hierarchical:4". `parse_algorithm` reads it.
std::string name(any_algorithm a);

/// A pointer and a parameter. Converts from every algorithm; by default it is `automatic`, which
/// has a name and no steps. Two are equal if they are the same type with the same parameter.
class any_algorithm {
public:
    /// `automatic`, or what is given.
    constexpr any_algorithm() = default;
    constexpr any_algorithm(automatic) {}
    template <algorithm A>
    constexpr any_algorithm(A a)
        : table_(&detail::table_of<A>), parameter_(detail::parameter_of(a)) {}

    /// Whether the choice is the library's.
    constexpr bool is_automatic() const { return table_ == &detail::automatic_table; }
    /// Whether it is an algorithm of this type, whatever the parameter.
    template <algorithm A>
    constexpr bool is() const {
        return table_ == &detail::table_of<A>;
    }
    /// The name of the type; see the free function `name` for one with the parameter in it.
    constexpr std::string_view name() const { return table_->name; }
    /// Whether it has a parameter, such as the ranks per host, and which one.
    constexpr bool has_parameter() const { return table_->has_parameter; }
    constexpr int parameter() const { return parameter_; }
    /// The same type with another parameter, which it must have.
    constexpr any_algorithm with_parameter(int p) const {
        auto result = *this;
        result.parameter_ = p;
        return result;
    }
    /// Whether it fits so many ranks.
    constexpr bool fits(int size) const { return is_automatic() || table_->fits(parameter_, size); }

    /// How its steps are best carried out.
    constexpr run_hints hints() const { return table_->hints; }

    /// Like the free function `record`. All four functions throw usage_error for a size that the
    /// algorithm does not fit, for a root that does not exist, and for `automatic`.
    schedule record(collective what, rank_t me, int size, rank_t root = 0) const;
    /// As the free function `record_all`.
    lean_list<schedule> record_all(collective what, int size, rank_t root = 0) const;
    /// As the free function `check`.
    proof check(int size, collective what = collective::all_reduce, rank_t root = 0) const;
    /// Whether it is one of the library's own, whose sums are known without a proof.
    constexpr bool states_its_sums() const { return table_->sums != nullptr; }
    /// The verdict of `check`, also for `automatic` and sizes that it does not fit: they are not
    /// ok. O(1) for the library's own algorithms.
    proof verdict(int size, collective what = collective::all_reduce, rank_t root = 0) const;
    /// As the free function `cost_of`.
    cost cost_of(int size, std::uint64_t bytes, collective what = collective::all_reduce,
                 rank_t root = 0) const;

    friend constexpr bool operator==(any_algorithm, any_algorithm) = default;

private:
    detail::step_source source() const {
        return {parameter_, table_->own, table_->chunks, table_->owner, table_->emit};
    }
    detail::schedule_shape schedule_shape_of(collective what, int size, rank_t root) const;

    detail::algorithm_table const* table_ = &detail::automatic_table;
    int parameter_ = 0;
};

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/schedule/any_algorithm.ipp>
#endif
