// SPDX-License-Identifier: BSD-3-Clause
// The kernels a program has, by operator and type. A source file for nvcc fills the table; all
// others find there what they cannot compile themselves.
#pragma once

#include <collectives/core/device_copy.hpp>
#include <collectives/core/op.hpp>
#include <collectives/space/reducer.hpp>

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>

namespace collectives::inline v0::cuda {

class kernel_table {
public:
    using key = std::pair<std::type_index, std::type_index>;

    void add(std::type_info const& op, std::type_info const& type, reducer::reduce_function run) {
        reductions_.insert_or_assign(key{op, type}, run);
    }
    void add(copy_function what) { copies_ = what; }
    void add(std::type_info const& own, std::type_info const& wire, pack_function run) {
        packs_.insert_or_assign(key{own, wire}, run);
    }

    /// Null where there is no such kernel.
    reducer::reduce_function find(std::type_info const& op, std::type_info const& type) const {
        auto const found = reductions_.find(key{op, type});
        return found == reductions_.end() ? nullptr : found->second;
    }
    /// Packs elements of one type as another, or as they are; null where there is no such kernel.
    pack_function find_pack(std::type_info const& own, std::type_info const& wire) const {
        auto const found = packs_.find(key{own, wire});
        return found == packs_.end() ? nullptr : found->second;
    }
    copy_function copies() const { return copies_; }
    std::size_t size() const { return reductions_.size(); }

private:
    std::map<key, reducer::reduce_function> reductions_;
    std::map<key, pack_function> packs_;
    copy_function copies_ = nullptr;
};

/// The program's table. It is filled before `main`.
inline kernel_table& kernels() {
    static kernel_table all;
    return all;
}

/// Every type of the library's own kernels, each with every operator that takes it: calls
/// visit.template operator()<Op, T>().
template <class T, class Visit>
void for_each_operator(Visit const& visit) {
    auto const if_fit = [&]<class Op>(Op const&) {
        if constexpr (reduction_op<Op, T>) { visit.template operator()<Op, T>(); }
    };
    collectives::detail::stateless_ops::for_each(if_fit);
    if constexpr (std::integral<T>) {
        if_fit(premultiplied_sum<T>{});
    } else if constexpr (std::same_as<T, double> || std::same_as<T, std::complex<double>>) {
        if_fit(premultiplied_sum<double>{});
    } else {
        if_fit(premultiplied_sum<float>{});
        if_fit(premultiplied_sum<double>{});
    }
    if constexpr (complex_number<T>) { if_fit(premultiplied_sum<T>{}); }
}
template <class Visit>
void for_each_kernel(Visit const& visit) {
    auto const type = [&]<class... T>(std::type_identity<T>...) {
        (for_each_operator<T>(visit), ...);
    };
    type(std::type_identity<std::int8_t>{}, std::type_identity<std::uint8_t>{},
         std::type_identity<std::int16_t>{}, std::type_identity<std::uint16_t>{},
         std::type_identity<std::int32_t>{}, std::type_identity<std::uint32_t>{},
         std::type_identity<std::int64_t>{}, std::type_identity<std::uint64_t>{},
         std::type_identity<bool>{}, std::type_identity<float>{}, std::type_identity<double>{},
         std::type_identity<float16>{}, std::type_identity<bfloat16>{},
         std::type_identity<float8_e4m3>{}, std::type_identity<float8_e5m2>{},
         std::type_identity<std::complex<float>>{}, std::type_identity<std::complex<double>>{});
}

/// What may travel in fewer bits: calls visit with the type of the elements, and that on the wire.
template <class Visit>
void for_each_shortening(Visit const& visit) {
    visit(std::type_identity<float>{}, std::type_identity<float16>{});
    visit(std::type_identity<float>{}, std::type_identity<bfloat16>{});
    visit(std::type_identity<float>{}, std::type_identity<float8_e4m3>{});
    visit(std::type_identity<float>{}, std::type_identity<float8_e5m2>{});
    visit(std::type_identity<double>{}, std::type_identity<float>{});
}
/// What packs and unpacks buckets: elements of any size as they are, and shortened ones. Calls
/// visit likewise.
template <class Visit>
void for_each_pack(Visit const& visit) {
    auto const as_they_are = [&]<class... T>(std::type_identity<T>... t) { (visit(t, t), ...); };
    as_they_are(std::type_identity<std::uint8_t>{}, std::type_identity<std::uint16_t>{},
                std::type_identity<std::uint32_t>{}, std::type_identity<std::uint64_t>{});
    for_each_shortening(visit);
}

}  // namespace collectives::cuda
