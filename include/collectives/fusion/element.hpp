// SPDX-License-Identifier: BSD-3-Clause
// A tensor's element type without its type: how it is reduced, and how it comes to the wire.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/fusion/layout.hpp>
#include <collectives/fusion/named_op.hpp>
#include <collectives/space/copy.hpp>
#include <collectives/space/cuda/gather.hpp>
#include <collectives/space/elements.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace collectives {

/// One element type with its operator. It keeps its own address.
struct fused_element {
    using convert_function = void (*)(void* to, void const* from, std::size_t count);

    fused_element() = default;
    fused_element(fused_element const&) = delete;
    fused_element& operator=(fused_element const&) = delete;

    std::uint64_t type = 0;
    std::string_view type_name;
    std::size_t size = 0;

    std::uint64_t wire_type = 0;  // in which it is sent and reduced
    std::string_view wire_name;
    std::size_t wire_size = 0;
    convert_function encode = nullptr, decode = nullptr;  // null: it travels as it is

    // In a device's memory, instead of these two:
    cuda::gather_function gather = nullptr;  // packs and unpacks; null: there is no such kernel
    std::size_t parts = 1;                   // that it moves of one element
    bool shortened = false;

    bool travels_as_it_is() const { return encode == nullptr && !shortened; }
    /// Of a tensor of these; most have no name.
    tensor_shape shape(std::size_t count, std::string_view name = {}) const {
        return {type, wire_size, count, name.empty() ? 0 : hash_text(name)};
    }

    named_op op;
    reducer reduce;
};

/// Sends elements of one type as another, shorter one, in which they are reduced too; the results
/// are of the first type again. Default: nothing is compressed.
struct compression {
    std::uint64_t of = 0;  // type_id of the elements that are compressed; others are not
    void (*apply)(fused_element&) = nullptr;
    std::uint64_t wire = 0;  // type_id
};

namespace detail {

/// As explicit conversion does it.
template <class Own, class Wire>
struct cast_codec {
    static Wire encode(Own const& x) { return static_cast<Wire>(x); }
    static Own decode(Wire const& x) { return static_cast<Own>(x); }
};

template <class Own, class Wire, class Codec>
struct compressing {
    static void encode(void* to, void const* from, std::size_t count) {
        auto* const wire = static_cast<std::byte*>(to);
        auto const* const own = static_cast<std::byte const*>(from);
        host::detail::for_each_index<Wire, false>(
            count, [&](std::size_t i) __attribute__((always_inline)) {
                host::detail::store(wire + i * sizeof(Wire),
                                    Codec::encode(host::detail::load<Own>(own + i * sizeof(Own))));
            });
    }
    static void decode(void* to, void const* from, std::size_t count) {
        auto* const own = static_cast<std::byte*>(to);
        auto const* const wire = static_cast<std::byte const*>(from);
        host::detail::for_each_index<Wire, false>(
            count, [&](std::size_t i) __attribute__((always_inline)) {
                host::detail::store(
                    own + i * sizeof(Own),
                    Codec::decode(host::detail::load<Wire>(wire + i * sizeof(Wire))));
            });
    }
    static void apply(fused_element& e) {
        e.wire_type = type_id<Wire>();
        e.wire_name = type_name<Wire>();
        e.wire_size = sizeof(Wire);
        e.encode = &encode;
        e.decode = &decode;
        e.reduce = e.op.template on<Wire>();
    }
};

}  // namespace detail

/// Elements of type Own travel as Wire: compress<float, bfloat16>(). `Codec` has static functions
/// encode(Own) -> Wire and decode(Wire) -> Own; by default they convert.
template <class Own, class Wire, class Codec = detail::cast_codec<Own, Wire>>
constexpr compression compress() {
    static_assert(std::is_trivially_copyable_v<Wire>);
    return {type_id<Own>(), &detail::compressing<Own, Wire, Codec>::apply, type_id<Wire>()};
}

namespace detail {

/// The unit in which a kernel moves elements of type T, whatever they are.
template <class T>
using unit_of = std::conditional_t<
    sizeof(T) % 8 == 0, std::uint64_t,
    std::conditional_t<sizeof(T) % 4 == 0, std::uint32_t,
                       std::conditional_t<sizeof(T) % 2 == 0, std::uint16_t, std::uint8_t>>>;

/// In a device's memory what is compressed needs a kernel of its own, which the library has for
/// some types and `cast_codec`.
template <class T, class Space>
void describe_on_device(fused_element& e, compression const& how) {
    using maker = reducer_maker<Space>;
    if (how.of != e.type || how.apply == nullptr) {
        e.reduce = e.op.template on<T, Space>();
        e.gather = maker::template gather<unit_of<T>, unit_of<T>>();
        e.parts = sizeof(T) / sizeof(unit_of<T>);
        return;
    }
    maker::for_each_shortening(
        [&]<class Own, class Wire>(std::type_identity<Own>, std::type_identity<Wire>) {
            if constexpr (std::is_same_v<Own, T>) {
                if (how.apply != &compressing<T, Wire, cast_codec<T, Wire>>::apply) { return; }
                e.wire_type = type_id<Wire>();
                e.wire_name = type_name<Wire>();
                e.wire_size = sizeof(Wire);
                e.reduce = e.op.template on<Wire, Space>();
                e.gather = maker::template gather<T, Wire>();
                e.shortened = true;
            }
        });
    if (!e.shortened) {
        throw usage_error(text_of("no kernel compresses ", e.type_name,
                                  " in this way: on devices "
                                  "float travels as float16 or bfloat16, and double as float"));
    }
}

}  // namespace detail

/// Makes `e` stand for elements of type T in a space. Throws usage_error where `op` is none for
/// them, or on a device where nothing compresses them so.
template <class T, class Space = host::space>
void describe_element(fused_element& e, named_op const& op, compression const& how) {
    e.type = e.wire_type = type_id<T>();
    e.type_name = e.wire_name = type_name<T>();
    e.size = e.wire_size = sizeof(T);
    e.op = op;
    if constexpr (!std::is_same_v<Space, host::space>) {
        detail::describe_on_device<T, Space>(e, how);
    } else if (how.of == e.type && how.apply != nullptr) {
        how.apply(e);
    } else {
        e.reduce = e.op.template on<T>();
    }
}

}  // namespace collectives
