// SPDX-License-Identifier: BSD-3-Clause
// Makes the calls of one type over all transports. Only the files of the types and the drivers of
// transports that need a launcher include this.
#pragma once

#include "calls.hpp"
#include "communicators.hpp"

#include <array>
#include <complex>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>

namespace coll_perf {

using operators = std::tuple<coll::sum, coll::product, coll::min, coll::max, coll::average,
                             coll::bit_and, coll::bit_or, coll::bit_xor, coll::logical_and,
                             coll::logical_or, coll::premultiplied_sum<int>>;

template <class Comm, class T, class Op>
call_function find_call(coll::collective what) {
    using enum coll::collective;
    static auto const in = [](call_arguments const& a) {
        return std::span<T const>(static_cast<T const*>(a.in), a.in_count);
    };
    static auto const out = [](call_arguments const& a) {
        return std::span<T>(static_cast<T*>(a.out), a.out_count);
    };
    static auto const self = [](void* p) -> Comm& { return *static_cast<Comm*>(p); };
    using arguments = call_arguments const&;
    switch (what) {
        case all_reduce:
            return [](void* c, arguments a) {
                self(c).all_reduce(in(a), out(a), make_op<Op>(), *a.how);
            };
        case reduce_scatter:
            return [](void* c, arguments a) {
                self(c).reduce_scatter(in(a), out(a), make_op<Op>(), *a.how);
            };
        case reduce:
            return [](void* c, arguments a) {
                self(c).reduce(in(a), out(a), make_op<Op>(), a.root, *a.how);
            };
        default: break;
    }
    // What only moves is compiled with one operator, and found with any.
    if constexpr (std::same_as<Op, coll::sum>) {
        switch (what) {
            case all_gather:
                return [](void* c, arguments a) { self(c).all_gather(in(a), out(a), *a.how); };
            case broadcast:
                return [](void* c, arguments a) { self(c).broadcast(out(a), a.root, *a.how); };
            case gather:
                return [](void* c, arguments a) { self(c).gather(in(a), out(a), a.root, *a.how); };
            case scatter:
                return [](void* c, arguments a) { self(c).scatter(in(a), out(a), a.root, *a.how); };
            case all_to_all:
                return [](void* c, arguments a) { self(c).all_to_all(in(a), out(a), *a.how); };
            case barrier: return [](void* c, arguments a) { self(c).barrier(*a.how); };
            default: return nullptr;
        }
    } else {
        return find_call<Comm, T, coll::sum>(what);
    }
}

template <class T, class Op>
void add_operator(std::vector<typed_operator>& list) {
    if constexpr (coll::reduction_op<Op, T>) {
        list.push_back({Op::name, model_of<T, Op>(),
                        [](std::size_t transport, coll::collective what) -> call_function {
                            return transport == 0 ? find_call<communicator_at<0>, T, Op>(what)
                                                  : find_call<communicator_at<1>, T, Op>(what);
                        }});
        static_assert(std::tuple_size_v<communicators> == 2, "one branch for each communicator");
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
