// SPDX-License-Identifier: BSD-3-Clause
// Makes call requests from typed arguments. Only this is compiled for each type of argument.
#pragma once

#include <collectives/communicator/request_maker.hpp>

#include <type_traits>
#include <utility>

namespace collectives::inline v0::detail {

using part_counts = detail::request_maker::counts;

template <class R>
detail::element_type type_of() {
    return detail::element_type_of<element_t<R>>();
}
template <class In, class Out>
detail::element_type type_of_both() {
    static_assert(std::is_same_v<element_t<In>, element_t<Out>>, "in and out hold different types");
    return type_of<In>();
}

/// all_reduce, reduce, scan and exscan.
template <class In, class Out>
detail::call_request vector_request(detail::request_maker make, collective what, In& in, Out& out,
                                    reducer const& r, rank_t root, options const& how) {
    return make.vector(what, type_of_both<In&, Out&>(), memory_of(in), writable_memory_of(out), r,
                       root, how);
}
/// all_gather and gather.
template <class In, class Out>
detail::call_request whole_request(detail::request_maker make, collective what, In& in, Out& out,
                                   part_counts counts, rank_t root, options const& how) {
    return make.to_whole(what, type_of_both<In&, Out&>(), memory_of(in), writable_memory_of(out),
                         std::move(counts), root, how);
}
/// reduce_scatter and, with no reducer, scatter.
template <class In, class Out>
detail::call_request block_request(detail::request_maker make, collective what, In& in, Out& out,
                                   part_counts counts, reducer const* r, rank_t root,
                                   options const& how) {
    return make.to_block(what, type_of_both<In&, Out&>(), memory_of(in), writable_memory_of(out),
                         std::move(counts), r, root, how);
}
/// all_to_all.
template <class In, class Out>
detail::call_request exchange_request(detail::request_maker make, In& in, Out& out,
                                      part_counts sends, part_counts receives, options const& how) {
    return make.exchange(type_of_both<In&, Out&>(), memory_of(in), writable_memory_of(out),
                         std::move(sends), std::move(receives), how);
}

}  // namespace collectives::detail
