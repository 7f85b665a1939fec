// SPDX-License-Identifier: BSD-3-Clause
// Torch's element types and operators as those of the library.
#pragma once

#include <collectives/fusion/fused_type.hpp>
#include <collectives/fusion/named_op.hpp>

#include <torch/csrc/distributed/c10d/Types.hpp>

#include <array>
#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace collectives_torch {

namespace coll = collectives;
using c10d::ReduceOp;

/// The library's type of these elements; null if it has none.
inline coll::fused_type const* own_type_of(at::ScalarType of) {
    using enum at::ScalarType;
    switch (of) {
        case Bool: return &coll::fused_type_of<bool>;
        case Byte: return &coll::fused_type_of<std::uint8_t>;
        case Char: return &coll::fused_type_of<std::int8_t>;
        case Short: return &coll::fused_type_of<std::int16_t>;
        case Int: return &coll::fused_type_of<std::int32_t>;
        case Long: return &coll::fused_type_of<std::int64_t>;
        case UInt16: return &coll::fused_type_of<std::uint16_t>;
        case UInt32: return &coll::fused_type_of<std::uint32_t>;
        case UInt64: return &coll::fused_type_of<std::uint64_t>;
        case Half: return &coll::fused_type_of<coll::float16>;
        case BFloat16: return &coll::fused_type_of<coll::bfloat16>;
        case Float8_e4m3fn: return &coll::fused_type_of<coll::float8_e4m3>;
        case Float8_e5m2: return &coll::fused_type_of<coll::float8_e5m2>;
        case Float: return &coll::fused_type_of<float>;
        case Double: return &coll::fused_type_of<double>;
        case ComplexFloat: return &coll::fused_type_of<std::complex<float>>;
        case ComplexDouble: return &coll::fused_type_of<std::complex<double>>;
        default: return nullptr;
    }
}

/// The type in which the library reduces elements of this one: itself, or a wider one to which they
/// are converted and from which the result is converted back.
inline at::ScalarType reduced_as(at::ScalarType of) {
    if (own_type_of(of) != nullptr) { return of; }
    if (of == at::kComplexHalf) { return at::kComplexFloat; }
    TORCH_CHECK(c10::isFloatingType(of), "collectives: no reduction of elements of type ", of);
    return at::kFloat;
}

/// As what elements are moved: as bytes of some size where the library does not know the type.
inline coll::detail::element_type moved_as(at::ScalarType of) {
    if (auto const* const own = own_type_of(of)) { return *own; }
    switch (c10::elementSize(of)) {
        case 16: return coll::fused_type_of<std::complex<double>>;
        case 8: return coll::fused_type_of<std::uint64_t>;
        case 4: return coll::fused_type_of<std::uint32_t>;
        case 2: return coll::fused_type_of<std::uint16_t>;
        default: return coll::fused_type_of<std::uint8_t>;
    }
}

/// An operator with its reducer, which refers to it.
struct kept_op {
    coll::named_op op;
    coll::reducer reduce;
};

/// The library's operator. Booleans are added as `or` and multiplied as `and`.
inline coll::named_op named_op_of(ReduceOp const& op, at::ScalarType of) {
    auto const is_bool = of == at::kBool;
    switch (op.op_) {
        case ReduceOp::SUM: return is_bool ? coll::named_op(coll::logical_or{}) : coll::sum{};
        case ReduceOp::AVG:
            TORCH_CHECK(!is_bool, "collectives: AVG of booleans");
            return coll::average{};
        case ReduceOp::PRODUCT:
            return is_bool ? coll::named_op(coll::logical_and{}) : coll::product{};
        case ReduceOp::MIN: return coll::min{};
        case ReduceOp::MAX: return coll::max{};
        case ReduceOp::BAND: return coll::bit_and{};
        case ReduceOp::BOR: return coll::bit_or{};
        case ReduceOp::BXOR: return coll::bit_xor{};
        case ReduceOp::PREMUL_SUM: break;
        default: TORCH_CHECK(false, "collectives: no operator with the number ", op.op_);
    }
    auto const* const given = dynamic_cast<c10d::NCCLPreMulSumSupplement*>(op.supplement_.get());
    TORCH_CHECK(given != nullptr, "collectives: PREMUL_SUM without a factor");
    TORCH_CHECK(!is_bool, "collectives: PREMUL_SUM of booleans");
    if (!given->tensor_factor.defined()) { return coll::premultiplied_sum{given->double_factor}; }
    if (!given->tensor_factor.is_complex()) {
        return coll::premultiplied_sum{given->tensor_factor.item<double>()};
    }
    auto const factor = given->tensor_factor.item<c10::complex<double>>();
    std::complex<double> const exact(factor.real(), factor.imag());
    if (of == at::kComplexFloat) { return coll::premultiplied_sum{std::complex<float>(exact)}; }
    return coll::premultiplied_sum{exact};
}

/// The reducer of an operator on elements of a type that the library has. Those without a factor
/// are made once, and stay.
inline std::shared_ptr<kept_op const> op_of(ReduceOp const& op, at::ScalarType of) {
    auto const make = [&] {
        auto made = std::make_unique<kept_op>();
        made->op = named_op_of(op, of);
        made->reduce = own_type_of(of)->reducer_of(made->op);
        return made;
    };
    if (op.op_ == ReduceOp::PREMUL_SUM) { return make(); }
    constexpr std::size_t types = static_cast<std::size_t>(at::ScalarType::NumOptions);
    constexpr std::size_t ops = static_cast<std::size_t>(ReduceOp::UNUSED) + 1;
    static std::array<std::array<std::atomic<kept_op const*>, ops>, types> all{};
    auto& one = all.at(static_cast<std::size_t>(of)).at(static_cast<std::size_t>(op.op_));
    auto const* found = one.load(std::memory_order_acquire);
    if (found == nullptr) {
        auto made = make();
        if (one.compare_exchange_strong(found, made.get())) { found = made.release(); }
    }
    return {std::shared_ptr<void const>(), found};
}

}  // namespace collectives_torch
