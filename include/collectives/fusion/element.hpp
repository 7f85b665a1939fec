// SPDX-License-Identifier: BSD-3-Clause
// A tensor's element type with its operator: how it is reduced, and how it travels.
#pragma once

#include <collectives/core/device_space.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/type_name.hpp>
#include <collectives/fusion/bucket_planner.hpp>
#include <collectives/fusion/fused_type.hpp>
#include <collectives/fusion/named_op.hpp>
#include <collectives/space/reducer.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace collectives::inline v0::detail {

/// One element type with its operator. It keeps its own address.
struct fused_element {
    using convert_function = compression::convert_function;

    fused_element() = default;
    fused_element(fused_element const&) = delete;
    fused_element& operator=(fused_element const&) = delete;

    std::uint64_t type = 0;
    std::string_view type_name;
    std::size_t size = 0;

    std::uint64_t wire_type = 0;  // the type that is sent and reduced
    std::string_view wire_name;
    std::size_t wire_size = 0;
    convert_function encode = nullptr, decode = nullptr;  // null: it travels as it is

    // In a device's memory these stand for `encode` and `decode`:
    pack_function pack = nullptr;  // packs and unpacks; null: there is no such kernel
    std::size_t parts = 1;         // the kernel moves one element in so many units
    bool shortened = false;        // the kernel converts

    bool travels_as_it_is() const { return encode == nullptr && !shortened; }
    /// The shape of a tensor of these elements; most tensors have no name.
    tensor_shape shape(std::size_t count, std::string_view name = {}) const {
        return {type, wire_size, count, name.empty() ? 0 : hash_text(name)};
    }

    named_op op;
    reducer reduce;
};

/// The unit in which a kernel moves elements of some size, whatever their type.
struct move_unit {
    std::uint64_t type;
    std::size_t size;
};
constexpr move_unit unit_of(std::size_t size) {
    if (size % 8 == 0) { return {type_id<std::uint64_t>(), 8}; }
    if (size % 4 == 0) { return {type_id<std::uint32_t>(), 4}; }
    if (size % 2 == 0) { return {type_id<std::uint16_t>(), 2}; }
    return {type_id<std::uint8_t>(), 1};
}

/// Finds the kernels of an element. Compression needs a kernel of its own, which the library has
/// for conversions between some types.
inline void describe_on_device(fused_element& e, device_space const& device,
                               compression const* how) {
    auto const unit = unit_of(e.size);
    e.pack = device.pack_kernel(unit.type, unit.type);
    if (how == nullptr) {
        e.parts = e.size / unit.size;
    } else {
        auto const has_kernels = e.pack != nullptr;
        e.pack = how->casts ? device.pack_kernel(e.type, e.wire_type) : nullptr;
        e.shortened = true;
        if (!how->casts || (has_kernels && e.pack == nullptr)) {
            throw_error<usage_error>("no kernel compresses ", e.type_name,
                                     " in this way: on devices "
                                     "float travels as float16, bfloat16, float8_e4m3 or "
                                     "float8_e5m2, and double as float");
        }
    }
    if (!device.bind(e.reduce)) { e.reduce.reduce = nullptr; }
}

/// Fills in `e` for elements of a type, in a device's memory if there is a device. Throws
/// usage_error where `op` is none for them, or where no kernel of the device compresses them so.
/// Null functions of `e` say that the program has no such kernel.
inline void describe_element(fused_element& e, fused_type const& type, named_op const& op,
                             compression const& how, device_space const* device) {
    auto const* const shorter = how.of == type.id && how.wire != nullptr ? &how : nullptr;
    auto const& wire = shorter != nullptr ? *shorter->wire : type;
    e.type = type.id;
    e.type_name = type.name;
    e.size = type.size;
    e.wire_type = wire.id;
    e.wire_name = wire.name;
    e.wire_size = wire.size;
    e.op = op;
    e.reduce = wire.reducer_of(e.op);
    if (device != nullptr) {
        detail::describe_on_device(e, *device, shorter);
    } else if (shorter != nullptr) {
        e.encode = how.encode;
        e.decode = how.decode;
    }
}

}  // namespace collectives::detail
