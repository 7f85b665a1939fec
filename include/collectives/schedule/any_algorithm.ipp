// SPDX-License-Identifier: BSD-3-Clause
// The definitions of schedule/any_algorithm.hpp.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/lean_list.hpp>
#include <collectives/core/text.hpp>
#include <collectives/schedule/any_algorithm.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>

namespace collectives::inline v0 {

COLLECTIVES_INLINE std::string name(any_algorithm a) {
    return a.has_parameter() ? text_of(a.name(), ":", a.parameter()) : std::string(a.name());
}

COLLECTIVES_INLINE schedule any_algorithm::record(collective what, rank_t me, int size,
                                                  rank_t root) const {
    auto const shape = schedule_shape_of(what, size, root);
    if (me < 0 || me >= size) { throw_error<usage_error>("there is no such rank"); }
    return detail::record(source(), shape, me);
}

COLLECTIVES_INLINE lean_list<schedule> any_algorithm::record_all(collective what, int size,
                                                                 rank_t root) const {
    return detail::record_all(source(), schedule_shape_of(what, size, root));
}

COLLECTIVES_INLINE proof any_algorithm::check(int size, collective what, rank_t root) const {
    auto const ranks = record_all(what, size, root);
    return detail::prover({ranks.data(), ranks.size()}).run();
}

COLLECTIVES_INLINE proof detail::prove_by_steps(any_algorithm of, collective what, int size,
                                                rank_t root) {
    return of.check(size, what, root);
}

[[gnu::cold]] COLLECTIVES_INLINE proof any_algorithm::verdict(int size, collective what,
                                                              rank_t root) const {
    if (is_automatic()) { return {false, "automatic has no steps before it has chosen"}; }
    if (!fits(size)) { return {false, "the algorithm is not for so many ranks"}; }
    if (!states_its_sums()) { return table_->prove(*this, what, size, root); }
    bool const linear = is_prefix(what) && !source().has(detail::pattern::scan);
    return detail::stated_proof(linear ? detail::sum_order::left_fold  // as linear::scan
                                       : table_->sums(parameter_, what, size),
                                what, size);
}

COLLECTIVES_INLINE cost any_algorithm::cost_of(int size, std::uint64_t bytes, collective what,
                                               rank_t root) const {
    return detail::cost_of(source(), schedule_shape_of(what, size, root), bytes);
}

[[gnu::cold]] COLLECTIVES_INLINE detail::schedule_shape any_algorithm::schedule_shape_of(
    collective what, int size, rank_t root) const {
    if (is_automatic()) { throw_error<usage_error>("automatic has no steps before it has chosen"); }
    if (size < 1 || root < 0 || root >= size) {
        throw_error<usage_error>("there is no such size or root");
    }
    if (!fits(size)) {
        throw_error<usage_error>(collectives::name(*this), " is not for ", size, " ranks");
    }
    return detail::schedule_shape_of(source(), what, size, root);
}

}  // namespace collectives
