// SPDX-License-Identifier: BSD-3-Clause
// Keeps compile time for those who use what a header offers.
#pragma once

namespace collectives {

namespace detail {

template <class T, class Unused>
struct deferred_type {
    using type = T;
};

}  // namespace detail

/// T, but what a template does with it is looked at only where that template is used. `Unused` is
/// any parameter of the template. (Some compilers otherwise compile what a template's text calls of
/// a constexpr class, such as std::vector, as soon as they read it.)
template <class T, class Unused>
using deferred = typename detail::deferred_type<T, Unused>::type;

}  // namespace collectives
