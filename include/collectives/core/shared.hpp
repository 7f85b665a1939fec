// SPDX-License-Identifier: BSD-3-Clause
// Makes shared objects, and is light to compile: each type costs std::make_shared a control block
// with functions and type information of its own. docs/lab/weight.md has the figures.
#pragma once

#include <memory>

namespace collectives::inline v0 {

namespace detail {

/// Calls `end(its)` when the last owner goes.
[[gnu::cold]] inline std::shared_ptr<void> shared_owner(void* its, void (*end)(void*)) {
    return {its, end};
}

template <class T>
[[gnu::cold]] void delete_as(void* its) {
    delete static_cast<T*>(its);
}

}  // namespace detail

/// As std::make_shared, at the cost of a second allocation. `As`: a base of T.
template <class T, class As = T, class... Arguments>
[[gnu::cold]] std::shared_ptr<As> make_shared_object(Arguments&&... from) {
    auto* const made = new T(static_cast<Arguments&&>(from)...);
    return {detail::shared_owner(made, detail::delete_as<T>), made};
}

}  // namespace collectives
