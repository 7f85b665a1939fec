// SPDX-License-Identifier: BSD-3-Clause
// One of the library's operators, chosen when the program runs, for elements of any type.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/op.hpp>
#include <collectives/core/text.hpp>
#include <collectives/space/host.hpp>

#include <complex>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

/// Any of sum, product, min, max, average, bit_and, bit_or, bit_xor, logical_and, logical_or and
/// premultiplied_sum{factor}, to which they convert.
class named_op {
public:
    /// By conversion from the operator; by default it is `sum`.
    constexpr named_op() = default;
    template <class Op>
        requires(detail::stateless_ops::has<Op>)
    constexpr named_op(Op) : name_(Op::name) {}  // NOLINT: it is one
    template <std::integral F>
    constexpr named_op(premultiplied_sum<F> op)  // NOLINT: likewise
        : kind_(std::is_signed_v<F> ? kind::times_signed : kind::times_unsigned),
          name_(op.name),
          integer_{static_cast<std::uint64_t>(op.factor)} {}
    template <class F>
        requires narrow_float<F> || detail::one_of<F, float, double>
    constexpr named_op(premultiplied_sum<F> op)  // NOLINT: likewise
        : kind_(kind::times_real), name_(op.name), real_{widened(op.factor)} {}
    template <class F>
        requires detail::one_of<F, std::complex<float>, std::complex<double>>
    constexpr named_op(premultiplied_sum<F> op)  // NOLINT: likewise
        : kind_(sizeof(F) == 8 ? kind::times_complex_float : kind::times_complex_double),
          name_(op.name),
          complex_float_{std::complex<float>(op.factor)},
          complex_double_{std::complex<double>(op.factor)} {}

    constexpr std::string_view name() const { return name_; }  ///< as messages call it

    /// Its reducer on elements of type T: bits are those of the operator it was made from. Keeps
    /// the address of this. Throws usage_error where the operator is none for T.
    template <class T>
    reducer on() {
        switch (kind_) {
            case kind::stateless: return stateless_on<T>();
            case kind::times_signed:
                return of_integer<T>(static_cast<std::int64_t>(integer_.factor));
            case kind::times_unsigned: return of_integer<T>(integer_.factor);
            case kind::times_real: return of<T>(real_);
            case kind::times_complex_float: return of<T>(complex_float_);
            case kind::times_complex_double: break;
        }
        return of<T>(complex_double_);
    }

private:
    enum class kind : std::uint8_t {
        stateless,
        times_signed,
        times_unsigned,
        times_real,
        times_complex_float,
        times_complex_double
    };

    template <class F>
    static constexpr double widened(F factor) {
        if constexpr (narrow_float<F>) {
            return static_cast<double>(static_cast<float>(factor));
        } else {
            return static_cast<double>(factor);
        }
    }

    template <class T, class Op>
    reducer of(Op const& op) const {
        if constexpr (reduction_op<Op, T>) {
            return host::make_reducer<T>(op);
        } else {
            throw_error<usage_error>(name_, " is no operator on ", type_name<T>());
        }
    }
    template <class T>
    reducer stateless_on() const {
        reducer result;
        detail::stateless_ops::for_each([&]<class Op>(Op const& op) {
            if (name_ == Op::name) { result = of<T>(op); }
        });
        return result;
    }
    /// On numbers that are no integers the factor becomes one of them first, as it does in
    /// premultiplied_sum; a double holds it then, and the product is rounded once all the same.
    template <class T, class F>
    reducer of_integer(F factor) {
        if constexpr (std::integral<T>) {
            return of<T>(integer_);
        } else if constexpr (detail::one_of<T, double, std::complex<double>, long double>) {
            real_.factor = static_cast<double>(factor);
        } else {
            real_.factor = static_cast<double>(static_cast<float>(factor));
        }
        return of<T>(real_);
    }

    kind kind_ = kind::stateless;
    std::string_view name_ = sum::name;
    premultiplied_sum<std::uint64_t> integer_{0};
    premultiplied_sum<double> real_{0};
    premultiplied_sum<std::complex<float>> complex_float_{};
    premultiplied_sum<std::complex<double>> complex_double_{};
};

}  // namespace collectives
