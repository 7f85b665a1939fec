// SPDX-License-Identifier: BSD-3-Clause
// A tensor's element type as data, and the types in which elements may travel instead.
#pragma once

#include <collectives/communicator/call_request.hpp>
#include <collectives/core/type_name.hpp>
#include <collectives/fusion/named_op.hpp>
#include <collectives/space/elements.hpp>
#include <collectives/space/reducer.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace collectives::inline v0 {

/// What a fusion_buffer has to know of a type. Lives as long as the program.
struct fused_type : detail::element_type {
    /// named_op::on for this type.
    reducer (*reducer_of)(named_op&) = nullptr;
};

namespace detail {

template <class T>
reducer reducer_of(named_op& op) {
    return op.template on<T>();
}

}  // namespace detail

/// What fusion knows of the C++ type `T`.
template <class T>
inline constexpr fused_type fused_type_of{detail::element_type_of<T>(), &detail::reducer_of<T>};

/// Sends elements of one type as another, shorter one, in which they are reduced too; the results
/// are of the first type again. Default: nothing is compressed.
struct compression {
    /// Converts `count` elements.
    using convert_function = void (*)(void* to, void const* from, std::size_t count);

    std::uint64_t of = 0;  ///< type_id of the elements that are compressed; others are not
    fused_type const* wire = nullptr;   ///< what travels
    convert_function encode = nullptr;  ///< from own elements to those that travel
    convert_function decode = nullptr;  ///< and back
    bool casts = false;  ///< as explicit conversion does it, which devices have kernels for
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
        convert<Own, Wire>(
            to, from, count,
            [](Own const& x) __attribute__((always_inline)) { return Codec::encode(x); });
    }
    static void decode(void* to, void const* from, std::size_t count) {
        convert<Wire, Own>(
            to, from, count,
            [](Wire const& x) __attribute__((always_inline)) { return Codec::decode(x); });
    }

private:
    template <class From, class To, class Convert>
    [[gnu::always_inline]] static void convert(void* to, void const* from, std::size_t count,
                                               Convert const& converted) {
        auto* const out = static_cast<std::byte*>(to);
        auto const* const in = static_cast<std::byte const*>(from);
        host::detail::for_each_index<Wire, false>(
            count, [&](std::size_t i) __attribute__((always_inline)) {
                host::detail::store(out + i * sizeof(To),
                                    converted(host::detail::load<From>(in + i * sizeof(From))));
            });
    }
};

}  // namespace detail

/// Elements of type Own travel as Wire: compress<float, bfloat16>(). `Codec` has static functions
/// encode(Own) -> Wire and decode(Wire) -> Own; by default they convert.
template <class Own, class Wire, class Codec = detail::cast_codec<Own, Wire>>
constexpr compression compress() {
    static_assert(std::is_trivially_copyable_v<Wire>);
    using codec = detail::compressing<Own, Wire, Codec>;
    return {type_id<Own>(), &fused_type_of<Wire>, &codec::encode, &codec::decode,
            std::is_same_v<Codec, detail::cast_codec<Own, Wire>>};
}

}  // namespace collectives
