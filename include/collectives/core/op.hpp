// SPDX-License-Identifier: BSD-3-Clause
// The operators of a reduction. reduction_op.hpp says what the library requires of any operator.
#pragma once

#include <collectives/core/arithmetic.hpp>
#include <collectives/core/reduction_op.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

namespace detail {

template <class T, class... All>
concept one_of = (std::same_as<T, All> || ...);

template <class T>
concept addable = number<T> || requires(T const& a) { static_cast<T>(a + a); };
template <class T>
concept multipliable = number<T> || requires(T const& a) { static_cast<T>(a * a); };
template <class T>
concept ordered = !complex_number<T> && requires(T const& a) { static_cast<bool>(a < a); };
template <class T>
concept dividable =
    !std::same_as<T, bool> && (number<T> || requires(T const& a) { static_cast<T>(a / 1); });
template <class T>
concept has_truth = number<T> && !complex_number<T>;
template <class F, class T>
concept scales =
    scales_number<F, T> ||
    (!number<T> && requires(F const& factor, T const& x) { static_cast<T>(factor * x); });

}  // namespace detail

/// a + b. Integers wrap; bool is a logical or.
struct sum {
    static constexpr std::string_view name = "sum";
    static constexpr bool commutes = true;
    static constexpr bool accumulates_wide = true;

    template <detail::addable T>
    constexpr T operator()(T const& a, T const& b) const {
        if constexpr (number<T>) {
            return detail::add(a, b);
        } else {
            return static_cast<T>(a + b);
        }
    }
};

/// a * b. Integers wrap; bool is a logical and; complex numbers by the textbook formula, each of
/// the four products rounded (infinities get no special care).
struct product {
    static constexpr std::string_view name = "product";
    static constexpr bool commutes = true;
    static constexpr bool accumulates_wide = true;

    template <detail::multipliable T>
    constexpr T operator()(T const& a, T const& b, detail::rounding_barrier rounded = {}) const {
        if constexpr (number<T>) {
            return detail::multiply(a, b, rounded);
        } else {
            return static_cast<T>(a * b);
        }
    }
};

/// The smallest; NaN if there is one; -0 before +0. Not for complex numbers.
struct min {
    static constexpr std::string_view name = "min";
    static constexpr bool commutes = true;
    static constexpr bool accumulates_wide = true;

    template <detail::ordered T>
    constexpr T operator()(T const& a, T const& b) const {
        if constexpr (number<T>) {
            return detail::smaller(a, b);
        } else {
            return b < a ? b : a;
        }
    }
};

/// The largest; NaN if there is one; +0 after -0. Not for complex numbers.
struct max {
    static constexpr std::string_view name = "max";
    static constexpr bool commutes = true;
    static constexpr bool accumulates_wide = true;

    template <detail::ordered T>
    constexpr T operator()(T const& a, T const& b) const {
        if constexpr (number<T>) {
            return detail::larger(a, b);
        } else {
            return a < b ? b : a;
        }
    }
};

/// The sum, then divided by the number of ranks. Integers divide the (wrapped) sum, rounding
/// toward zero. A user's type needs + and division by an int. Not for bool, whose sum is no number.
struct average {
    static constexpr std::string_view name = "average";
    static constexpr bool commutes = true;
    static constexpr bool accumulates_wide = true;

    template <detail::addable T>
        requires detail::dividable<T>
    constexpr T operator()(T const& a, T const& b) const {
        return sum{}(a, b);
    }

    template <class T>
    constexpr T finish(T const& total, int size) const {
        if constexpr (number<T>) {
            return detail::divide(total, size);
        } else {
            return static_cast<T>(total / size);
        }
    }
};

/// The bits that all contributions have.
struct bit_and {
    static constexpr std::string_view name = "bit_and";
    static constexpr bool commutes = true;
    template <std::integral T>
    constexpr T operator()(T const& a, T const& b) const {
        return static_cast<T>(a & b);
    }
};

/// The bits that some contribution has.
struct bit_or {
    static constexpr std::string_view name = "bit_or";
    static constexpr bool commutes = true;
    template <std::integral T>
    constexpr T operator()(T const& a, T const& b) const {
        return static_cast<T>(a | b);
    }
};

/// The bits that an odd number of contributions have.
struct bit_xor {
    static constexpr std::string_view name = "bit_xor";
    static constexpr bool commutes = true;
    template <std::integral T>
    constexpr T operator()(T const& a, T const& b) const {
        return static_cast<T>(a ^ b);
    }
};

/// 1 if no contribution is zero, else 0; also if there is only one rank.
struct logical_and {
    static constexpr std::string_view name = "logical_and";
    static constexpr bool commutes = true;
    template <detail::has_truth T>
    constexpr T operator()(T const& a, T const& b) const {
        // A branch would keep loops from vector instructions.
        auto const both = unsigned{detail::truth(a)} & unsigned{detail::truth(b)};
        return detail::truth_value<T>(both != 0);
    }
};

/// 1 if some contribution is not zero, else 0; also if there is only one rank.
struct logical_or {
    static constexpr std::string_view name = "logical_or";
    static constexpr bool commutes = true;
    template <detail::has_truth T>
    constexpr T operator()(T const& a, T const& b) const {
        auto const either = unsigned{detail::truth(a)} | unsigned{detail::truth(b)};  // no branch
        return detail::truth_value<T>(either != 0);
    }
};

/// The sum of factor * contribution. Each rank multiplies its own contribution once, before
/// anything is added; the factor must be the same on all ranks. Integers take an integer factor
/// (and wrap), real numbers a real one, complex ones either; the product is rounded once, to T.
template <class F>
struct premultiplied_sum {
    F factor;  ///< what each contribution is multiplied by

    static constexpr std::string_view name = "premultiplied_sum";
    static constexpr bool commutes = true;
    static constexpr bool accumulates_wide = true;

    template <detail::addable T>
        requires detail::scales<F, T>
    constexpr T operator()(T const& a, T const& b) const {
        return sum{}(a, b);
    }

    template <class T>
        requires detail::scales<F, T>
    constexpr T prepare(T const& contribution, detail::rounding_barrier rounded = {}) const {
        if constexpr (number<T>) {
            return detail::scale(factor, contribution, rounded);
        } else {
            return static_cast<T>(factor * contribution);
        }
    }

    /// The operator's state as a number: ranks that pass different factors are told so.
    std::uint64_t fingerprint() const {
        if constexpr (std::same_as<F, long double>) {
            return detail::hash_bytes(static_cast<double>(factor));  // it has padding
        } else if constexpr (number<F> || std::has_unique_object_representations_v<F>) {
            return detail::hash_bytes(factor);
        } else {
            return 0;
        }
    }
};

/// The factor says of which type it is.
template <class F>
premultiplied_sum(F) -> premultiplied_sum<F>;

namespace detail {

/// An operator without state, where a reducer can keep its address.
template <class Op>
inline constexpr Op the_op{};

template <class... Ops>
struct op_list {
    template <class Op>
    static constexpr bool has = one_of<Op, Ops...>;
    /// Calls visit with each operator.
    template <class Visit>
    static constexpr void for_each(Visit const& visit) {
        (visit(the_op<Ops>), ...);
    }
};

/// All operators but premultiplied_sum: those without state.
using stateless_ops =
    op_list<sum, product, min, max, average, bit_and, bit_or, bit_xor, logical_and, logical_or>;

}  // namespace detail

}  // namespace collectives
