// SPDX-License-Identifier: BSD-3-Clause
#include "array.hpp"

#include <collectives/core/error.hpp>
#include <collectives/core/narrow_float.hpp>
#include <collectives/core/text.hpp>

#include <nanobind/stl/string_view.h>

#include <array>
#include <complex>
#include <cstdint>
#include <string_view>

namespace python {

namespace {

template <class T>
constexpr coll::fused_type const* of = &coll::fused_type_of<T>;

constexpr element bfloat16{of<coll::bfloat16>, "bfloat16"};
constexpr element float8_e4m3{of<coll::float8_e4m3>, "float8_e4m3fn"};
constexpr element float8_e5m2{of<coll::float8_e5m2>, "float8_e5m2"};

/// The types of ml_dtypes.
constexpr std::array beyond_numpy{bfloat16, float8_e4m3, float8_e5m2};

element integer(std::size_t size, bool is_signed) {
    switch (size) {
        case 1:
            return is_signed ? element{of<std::int8_t>, "int8"}
                             : element{of<std::uint8_t>, "uint8"};
        case 2:
            return is_signed ? element{of<std::int16_t>, "int16"}
                             : element{of<std::uint16_t>, "uint16"};
        case 4:
            return is_signed ? element{of<std::int32_t>, "int32"}
                             : element{of<std::uint32_t>, "uint32"};
        case 8:
            return is_signed ? element{of<std::int64_t>, "int64"}
                             : element{of<std::uint64_t>, "uint64"};
        default: return {};
    }
}
element real(std::size_t size) {
    switch (size) {
        case 2: return {of<coll::float16>, "float16"};
        case 4: return {of<float>, "float32"};
        case 8: return {of<double>, "float64"};
        default: return {};
    }
}
element complex(std::size_t size) {
    switch (size) {
        case 8: return {of<std::complex<float>>, "complex64"};
        case 16: return {of<std::complex<double>>, "complex128"};
        default: return {};
    }
}

/// The element type that a format of the buffer protocol names; none if the library lacks it.
element element_of(char const* format, std::size_t size) {
    std::string_view text = format == nullptr ? "B" : format;
    if (!text.empty() && std::string_view("@=<").find(text.front()) != text.npos) {
        text.remove_prefix(1);
    }
    if (text == "Zf" || text == "Zd") { return complex(size); }
    if (text.size() != 1) { return {}; }
    auto const letter = text.front();
    if (letter == '?') { return {of<bool>, "bool"}; }
    if (std::string_view("bhilqn").find(letter) != text.npos) { return integer(size, true); }
    if (std::string_view("BHILQN").find(letter) != text.npos) { return integer(size, false); }
    if (std::string_view("efd").find(letter) != text.npos) { return real(size); }
    return {};
}

/// What DLPack says.
element element_of(nb::dlpack::dtype type) {
    using code = nb::dlpack::dtype_code;
    constexpr code e4m3fn{10}, e5m2{12};  // which older versions of nanobind do not name
    if (type.lanes != 1) { return {}; }
    switch (static_cast<code>(type.code)) {
        case code::Bool: return {of<bool>, "bool"};
        case code::Int: return integer(type.bits / 8, true);
        case code::UInt: return integer(type.bits / 8, false);
        case code::Float: return real(type.bits / 8);
        case code::Complex: return complex(type.bits / 8);
        case code::Bfloat: return bfloat16;
        case e4m3fn: return float8_e4m3;
        case e5m2: return float8_e5m2;
        default: return {};
    }
}

[[noreturn]] void refuse(char const* role, std::string_view why) {
    throw coll::usage_error(coll::text_of(std::string_view(role), " ", why));
}

/// The text of the Python exception that is set, which it clears.
std::string taken_error() {
    nb::python_error const e;
    return nb::str(e.value()).c_str();
}

std::string type_of(nb::handle x) { return nb::type_name(x.type()).c_str(); }

/// The type of ml_dtypes that an array has; none if it has another.
element beyond_numpy_of(nb::handle from) {
    if (!nb::hasattr(from, "dtype") || !nb::hasattr(from, "view")) { return {}; }
    auto const name = nb::getattr(from.attr("dtype"), "name", nb::none());
    if (!nb::isinstance<nb::str>(name)) { return {}; }
    for (auto const& known : beyond_numpy) {
        if (nb::cast<std::string_view>(name) == known.numpy_name) { return known; }
    }
    return {};
}

nb::object type_of_ml_dtypes(element what) {
    try {
        return nb::module_::import_("ml_dtypes").attr(what.numpy_name);
    } catch (nb::python_error const& e) {
        if (!e.matches(PyExc_ImportError) && !e.matches(PyExc_AttributeError)) { throw; }
        throw coll::usage_error(coll::text_of("an array of ", what.numpy_name,
                                              " needs ml_dtypes: install it, or pass out"));
    }
}

/// NumPy has no letters for those types, so their arrays are seen as whole numbers.
nb::object as_integers(nb::handle from, element what) {
    return from.attr("view")(what.type->size == 1 ? "uint8" : "uint16");
}

}  // namespace

void array::hold(nb::handle from, char const* role, access how) {
    if (!hold_buffer(from, role, how)) { hold_tensor(from, role, how); }
}

bool array::hold_buffer(nb::handle from, char const* role, access how) {
    if (!PyObject_CheckBuffer(from.ptr())) { return false; }
    if (PyObject_GetBuffer(from.ptr(), &view_, PyBUF_FULL_RO) != 0) {
        auto const why = taken_error();
        what_ = beyond_numpy_of(from);
        if (what_.type == nullptr) { refuse(role, "gives no memory: " + why); }
        other_ = as_integers(from, what_);
        if (PyObject_GetBuffer(other_.ptr(), &view_, PyBUF_FULL_RO) != 0) {
            refuse(role, "gives no memory: " + taken_error());
        }
    } else {
        what_ = element_of(view_.format, static_cast<std::size_t>(view_.itemsize));
    }
    if (what_.type == nullptr) {
        refuse(role, coll::text_of("has elements of a type that collectives cannot carry: '",
                                   std::string_view(view_.format), "'"));
    }
    if (PyBuffer_IsContiguous(&view_, 'C') == 0) {
        refuse(role, "is not contiguous (in the order of C)");
    }
    if (how == access::write && view_.readonly != 0) { refuse(role, "is read-only"); }
    data_ = view_.buf;
    bytes_ = static_cast<std::size_t>(view_.len);
    return true;
}

void array::hold_tensor(nb::handle from, char const* role, access how) {
    auto const is_tensor = nb::hasattr(from, "__dlpack__");
    if (!is_tensor) {
        refuse(role, coll::text_of("is of type ", type_of(from),
                                   ", which has neither the buffer protocol nor DLPack"));
    }
    bool fine = false;
    if (how == access::write) {
        nb::ndarray<> writable;
        fine = nb::try_cast(from, writable, false);
        if (fine) { tensor_ = nb::ndarray<nb::ro>(writable); }
    } else {
        fine = nb::try_cast(from, tensor_, false);
    }
    if (!fine) { refuse(role, "gives no memory by DLPack, or none that may be written"); }
    if (tensor_.device_type() != nb::device::cpu::value) {
        refuse(role, "is in the memory of a device, not of the processor");
    }
    what_ = element_of(tensor_.dtype());
    if (what_.type == nullptr) {
        refuse(role, "has elements of a type that collectives cannot carry");
    }
    std::int64_t expected = 1;
    for (auto i = tensor_.ndim(); i-- > 0;) {
        auto const n = static_cast<std::int64_t>(tensor_.shape(i));
        if (n != 1 && tensor_.stride(i) != expected) {
            refuse(role, "is not contiguous (in the order of C)");
        }
        expected *= n;
    }
    data_ = const_cast<void*>(static_cast<void const*>(tensor_.data()));
    bytes_ = tensor_.size() * what_.type->size;
}

std::vector<std::size_t> array::shape() const {
    std::vector<std::size_t> result;
    if (view_.obj != nullptr) {
        for (int i = 0; i < view_.ndim; ++i) {
            result.push_back(static_cast<std::size_t>(view_.shape[i]));
        }
    } else {
        for (std::size_t i = 0; i < tensor_.ndim(); ++i) { result.push_back(tensor_.shape(i)); }
    }
    return result;
}

void array::let_go() {
    if (view_.obj != nullptr) { PyBuffer_Release(&view_); }
}

nb::object new_array(std::vector<std::size_t> const& shape, element of, bool has_gaps) {
    auto const numpy = nb::module_::import_("numpy");
    nb::object type = nb::str(of.numpy_name);
    for (auto const& known : beyond_numpy) {
        if (of.type == known.type) { type = type_of_ml_dtypes(of); }
    }
    nb::list sizes;
    for (auto const n : shape) { sizes.append(n); }
    return numpy.attr(has_gaps ? "zeros" : "empty")(nb::tuple(sizes), type);
}

}  // namespace python
