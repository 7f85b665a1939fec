// SPDX-License-Identifier: BSD-3-Clause
// Makes the calls of one type. Only the files of the types and the driver of devices include this.
#pragma once

#include "calls.hpp"

#include <complex>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>

namespace coll_perf {

using operators = std::tuple<coll::sum, coll::product, coll::min, coll::max, coll::average,
                             coll::bit_and, coll::bit_or, coll::bit_xor, coll::logical_and,
                             coll::logical_or, coll::premultiplied_sum<int>>;

template <class T>
std::span<T const> in(call_arguments const& a) {
    return {static_cast<T const*>(a.in), a.in_count};
}
template <class T>
std::span<T> out(call_arguments const& a) {
    return {static_cast<T*>(a.out), a.out_count};
}

/// What takes an operator.
template <class T, class Op>
call_functions find_reduction(coll::collective what) {
    using comm = coll::communicator&;
    using arguments = call_arguments const&;
    using enum coll::collective;
    if (what == all_reduce) {
        return {
            [](comm c, arguments a) { c.all_reduce(in<T>(a), out<T>(a), make_op<Op>(), *a.how); },
            nullptr,
            [](comm c, arguments a) {
                return c.start_all_reduce(in<T>(a), out<T>(a), make_op<Op>(), *a.how);
            },
            [](comm c, arguments a) {
                return c.plan_all_reduce(in<T>(a), out<T>(a), make_op<Op>(), *a.how);
            }};
    }
    if (what == reduce) {
        return {[](comm c, arguments a) {
                    c.reduce(in<T>(a), out<T>(a), make_op<Op>(), a.root, *a.how);
                },
                nullptr,
                [](comm c, arguments a) {
                    return c.start_reduce(in<T>(a), out<T>(a), make_op<Op>(), a.root, *a.how);
                },
                [](comm c, arguments a) {
                    return c.plan_reduce(in<T>(a), out<T>(a), make_op<Op>(), a.root, *a.how);
                }};
    }
    if (what == reduce_scatter) {
        return {[](comm c, arguments a) {
                    c.reduce_scatter(in<T>(a), out<T>(a), make_op<Op>(), *a.how);
                },
                [](comm c, arguments a) {
                    c.reduce_scatter(in<T>(a), out<T>(a), a.counts, make_op<Op>(), *a.how);
                },
                [](comm c, arguments a) {
                    return c.start_reduce_scatter(in<T>(a), out<T>(a), make_op<Op>(), *a.how);
                },
                [](comm c, arguments a) {
                    return c.plan_reduce_scatter(in<T>(a), out<T>(a), make_op<Op>(), *a.how);
                }};
    }
    if constexpr (coll::prefix_op<Op, T>) {
        if (what == scan) {
            return {[](comm c, arguments a) { c.scan(in<T>(a), out<T>(a), make_op<Op>(), *a.how); },
                    nullptr,
                    [](comm c, arguments a) {
                        return c.start_scan(in<T>(a), out<T>(a), make_op<Op>(), *a.how);
                    },
                    [](comm c, arguments a) {
                        return c.plan_scan(in<T>(a), out<T>(a), make_op<Op>(), *a.how);
                    }};
        }
        return {[](comm c, arguments a) { c.exscan(in<T>(a), out<T>(a), make_op<Op>(), *a.how); },
                nullptr,
                [](comm c, arguments a) {
                    return c.start_exscan(in<T>(a), out<T>(a), make_op<Op>(), *a.how);
                },
                [](comm c, arguments a) {
                    return c.plan_exscan(in<T>(a), out<T>(a), make_op<Op>(), *a.how);
                }};
    }
    return {};
}

/// What only moves.
template <class T>
call_functions find_move(coll::collective what) {
    using comm = coll::communicator&;
    using arguments = call_arguments const&;
    switch (what) {
        case coll::collective::all_gather:
            return {
                [](comm c, arguments a) { c.all_gather(in<T>(a), out<T>(a), *a.how); },
                [](comm c, arguments a) { c.all_gather(in<T>(a), out<T>(a), a.counts, *a.how); },
                [](comm c, arguments a) { return c.start_all_gather(in<T>(a), out<T>(a), *a.how); },
                [](comm c, arguments a) { return c.plan_all_gather(in<T>(a), out<T>(a), *a.how); }};
        case coll::collective::broadcast:
            return {
                [](comm c, arguments a) { c.broadcast(out<T>(a), a.root, *a.how); }, nullptr,
                [](comm c, arguments a) { return c.start_broadcast(out<T>(a), a.root, *a.how); },
                [](comm c, arguments a) { return c.plan_broadcast(out<T>(a), a.root, *a.how); }};
        case coll::collective::gather:
            return {[](comm c, arguments a) { c.gather(in<T>(a), out<T>(a), a.root, *a.how); },
                    [](comm c, arguments a) {
                        c.gather(in<T>(a), out<T>(a), a.counts, a.root, *a.how);
                    },
                    [](comm c, arguments a) {
                        return c.start_gather(in<T>(a), out<T>(a), a.root, *a.how);
                    },
                    [](comm c, arguments a) {
                        return c.plan_gather(in<T>(a), out<T>(a), a.root, *a.how);
                    }};
        case coll::collective::scatter:
            return {[](comm c, arguments a) { c.scatter(in<T>(a), out<T>(a), a.root, *a.how); },
                    [](comm c, arguments a) {
                        c.scatter(in<T>(a), out<T>(a), a.counts, a.root, *a.how);
                    },
                    [](comm c, arguments a) {
                        return c.start_scatter(in<T>(a), out<T>(a), a.root, *a.how);
                    },
                    [](comm c, arguments a) {
                        return c.plan_scatter(in<T>(a), out<T>(a), a.root, *a.how);
                    }};
        case coll::collective::all_to_all:
            return {
                [](comm c, arguments a) { c.all_to_all(in<T>(a), out<T>(a), *a.how); },
                [](comm c, arguments a) {
                    c.all_to_all(in<T>(a), out<T>(a), a.counts, a.counts, *a.how);
                },
                [](comm c, arguments a) { return c.start_all_to_all(in<T>(a), out<T>(a), *a.how); },
                [](comm c, arguments a) { return c.plan_all_to_all(in<T>(a), out<T>(a), *a.how); }};
        default:
            return {[](comm c, arguments a) { c.barrier(*a.how); }, nullptr,
                    [](comm c, arguments a) { return c.start_barrier(*a.how); },
                    [](comm c, arguments a) { return c.plan_barrier(*a.how); }};
    }
}

template <class T, class Op>
call_functions typed_call(coll::collective what) {
    return coll::reduces(what) ? find_reduction<T, Op>(what) : find_move<T>(what);
}

template <class T, class Op>
void add_operator(std::vector<typed_operator>& list) {
    if constexpr (coll::reduction_op<Op, T>) {
        list.push_back({Op::name, model_of<T, Op>(), &typed_call<T, Op>, make_op<Op>()});
    }
}

template <class T>
typed_calls calls_of(std::string_view name) {
    typed_calls result{name,
                       sizeof(T),
                       [](coll::fusion_buffer& into, void* data, std::size_t count) {
                           static_cast<void>(into.add(std::span(static_cast<T*>(data), count)));
                       },
                       {}};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (add_operator<T, std::tuple_element_t<I, operators>>(result.operators), ...);
    }(std::make_index_sequence<std::tuple_size_v<operators>>{});
    return result;
}

}  // namespace coll_perf
