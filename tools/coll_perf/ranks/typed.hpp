// SPDX-License-Identifier: BSD-3-Clause
// Makes the calls of one type. Only the files of the types and the drivers of
// transports that need a launcher include this.
#pragma once

#include "calls.hpp"

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>

namespace coll_perf {

using operators = std::tuple<coll::sum, coll::product, coll::min, coll::max, coll::average,
                             coll::bit_and, coll::bit_or, coll::bit_xor, coll::logical_and,
                             coll::logical_or, coll::premultiplied_sum<int>>;

template <class T, class Op>
call_function find_call(coll::collective what) {
    using enum coll::collective;
    static auto const in = [](call_arguments const& a) {
        return std::span<T const>(static_cast<T const*>(a.in), a.in_count);
    };
    static auto const out = [](call_arguments const& a) {
        return std::span<T>(static_cast<T*>(a.out), a.out_count);
    };
    using arguments = call_arguments const&;
    switch (what) {
        case all_reduce:
            return [](coll::communicator& c, arguments a) {
                c.all_reduce(in(a), out(a), make_op<Op>(), *a.how);
            };
        case reduce_scatter:
            return [](coll::communicator& c, arguments a) {
                c.reduce_scatter(in(a), out(a), make_op<Op>(), *a.how);
            };
        case reduce:
            return [](coll::communicator& c, arguments a) {
                c.reduce(in(a), out(a), make_op<Op>(), a.root, *a.how);
            };
        case scan:
            if constexpr (coll::prefix_op<Op, T>) {
                return [](coll::communicator& c, arguments a) {
                    c.scan(in(a), out(a), make_op<Op>(), *a.how);
                };
            } else {
                return nullptr;
            }
        case exscan:
            if constexpr (coll::prefix_op<Op, T>) {
                return [](coll::communicator& c, arguments a) {
                    c.exscan(in(a), out(a), make_op<Op>(), *a.how);
                };
            } else {
                return nullptr;
            }
        default: break;
    }
    // What only moves is compiled with one operator, and found with any.
    if constexpr (std::same_as<Op, coll::sum>) {
        switch (what) {
            case all_gather:
                return
                    [](coll::communicator& c, arguments a) { c.all_gather(in(a), out(a), *a.how); };
            case broadcast:
                return
                    [](coll::communicator& c, arguments a) { c.broadcast(out(a), a.root, *a.how); };
            case gather:
                return [](coll::communicator& c, arguments a) {
                    c.gather(in(a), out(a), a.root, *a.how);
                };
            case scatter:
                return [](coll::communicator& c, arguments a) {
                    c.scatter(in(a), out(a), a.root, *a.how);
                };
            case all_to_all:
                return
                    [](coll::communicator& c, arguments a) { c.all_to_all(in(a), out(a), *a.how); };
            case barrier: return [](coll::communicator& c, arguments a) { c.barrier(*a.how); };
            default: return nullptr;
        }
    } else {
        return find_call<T, coll::sum>(what);
    }
}

template <class T, class Op>
void add_operator(std::vector<typed_operator>& list) {
    if constexpr (coll::reduction_op<Op, T>) {
        list.push_back({Op::name, model_of<T, Op>(), &find_call<T, Op>});
    }
}

template <class T>
typed_calls calls_of(std::string_view name) {
    typed_calls result{name, sizeof(T), {}};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (add_operator<T, std::tuple_element_t<I, operators>>(result.operators), ...);
    }(std::make_index_sequence<std::tuple_size_v<operators>>{});
    return result;
}

}  // namespace coll_perf
