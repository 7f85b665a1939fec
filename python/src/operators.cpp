// SPDX-License-Identifier: BSD-3-Clause
// From what a program gives as an operator to the library's.
#include "call.hpp"

#include <collectives/core/text.hpp>

#include <nanobind/stl/string_view.h>

#include <complex>
#include <optional>
#include <string>

namespace python {

namespace {

/// None for what is no name.
std::optional<coll::named_op> named(nb::handle given) {
    std::string_view name;
    if (!nb::try_cast(given, name)) { return {}; }
    std::optional<coll::named_op> result;
    using all = coll::detail::stateless_ops;
    all::for_each([&]<class Op>(Op op) {
        if (Op::name == name) { result = op; }
    });
    if (result) { return result; }
    std::string known;
    all::for_each([&](auto op) { known += coll::text_of(known.empty() ? "" : ", ", op.name); });
    throw coll::usage_error(coll::text_of("there is no operator '", name, "'; the operators are ",
                                          known, " and premultiplied_sum(factor)"));
}

/// The factor is an int, a float or a complex. The library takes a complex one in the precision of
/// the elements alone.
coll::named_op scaled_sum(nb::handle factor, coll::fused_type const* of) {
    if (PyComplex_Check(factor.ptr())) {
        auto const z = PyComplex_AsCComplex(factor.ptr());
        std::complex<double> const exact(z.real, z.imag);
        if (of == &coll::fused_type_of<std::complex<float>>) {
            return coll::premultiplied_sum{std::complex<float>(exact)};
        }
        return coll::premultiplied_sum{exact};
    }
    if (PyFloat_Check(factor.ptr())) {
        return coll::premultiplied_sum{PyFloat_AS_DOUBLE(factor.ptr())};
    }
    std::int64_t number = 0;
    if (nb::try_cast(factor, number)) { return coll::premultiplied_sum{number}; }
    std::uint64_t large = 0;
    if (nb::try_cast(factor, large)) { return coll::premultiplied_sum{large}; }
    throw coll::usage_error("the factor of premultiplied_sum is an int beyond 64 bits");
}

}  // namespace

coll::named_op operator_of(nb::handle given, coll::fused_type const* of) {
    if (auto const op = named(given)) { return *op; }
    auto const scaled = nb::module_::import_("collectives._operators").attr("premultiplied_sum");
    if (nb::isinstance(given, scaled)) { return scaled_sum(given.attr("factor"), of); }
    throw coll::usage_error(
        coll::text_of("op is an operator's name or a premultiplied_sum, not of type ",
                      std::string_view(nb::type_name(given.type()).c_str())));
}

}  // namespace python
