// SPDX-License-Identifier: BSD-3-Clause
// What may be passed to a collective: contiguous ranges of trivially copyable elements.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace collectives::inline v0 {

namespace detail {

// As in <ranges>, which would cost the compiler as much as all of <string>.
template <class R>
using iterator_of = decltype(std::ranges::begin(std::declval<R&>()));
template <class R>
concept sized_range = std::input_iterator<iterator_of<R>> && requires(R& r) {
    std::ranges::end(r);
    std::ranges::size(r);
};
template <class R>
concept contiguous_range =
    sized_range<R> && std::contiguous_iterator<iterator_of<R>> && requires(R& r) {
        {
            std::ranges::data(r)
        } -> std::same_as<std::add_pointer_t<std::iter_reference_t<iterator_of<R>>>>;
    };
template <class R>
concept borrowed_range = requires(R&& r) { std::ranges::begin(static_cast<R&&>(r)); };

}  // namespace detail

/// The type of a range's elements, without const.
template <class R>
using element_t = std::iter_value_t<detail::iterator_of<R>>;

/// A contiguous range of trivially copyable elements, const or not.
template <class R>
concept input_range = detail::contiguous_range<R> && std::is_trivially_copyable_v<element_t<R>>;

/// A contiguous range whose elements outlive a call that is only started: an lvalue, or a borrowed
/// range (span).
template <class R>
concept lasting_input_range = input_range<R> && detail::borrowed_range<R>;

/// A contiguous range whose elements can be written and outlive the call: an lvalue, or a borrowed
/// range (span).
template <class R>
concept output_range =
    lasting_input_range<R> &&
    !std::is_const_v<std::remove_reference_t<std::iter_reference_t<detail::iterator_of<R>>>>;

/// Integers, of any type.
template <class R>
concept integer_range = detail::sized_range<R> && std::integral<element_t<R>>;

/// Cuts a vector into blocks that stand anywhere in it: block i is `counts[i]` elements from
/// element `displacements[i]` on. Both ranges have one number per rank, none negative; where counts
/// may stand, a cut may. Elements outside of all blocks are neither read nor written, and the
/// vector may go on behind the last block. Blocks of a vector that the call writes must not
/// overlap. Both ranges must be equal on all ranks, as counts must; those of all_to_all are each
/// rank's own. Throws usage_error for what one rank can see, else mismatch_error. O(P log P) beside
/// the call.
///
/// The cut refers to an lvalue, and keeps what it was given as a temporary. Calls copy the numbers.
template <integer_range Counts, integer_range Displacements>
struct cut {
    Counts counts;                ///< elements of each rank's block
    Displacements displacements;  ///< of the block's first element, from that of the vector
};
template <class Counts, class Displacements>
cut(Counts&&, Displacements&&) -> cut<Counts, Displacements>;

namespace detail {

template <class T>
inline constexpr bool is_cut = false;
template <class Counts, class Displacements>
inline constexpr bool is_cut<cut<Counts, Displacements>> = true;

}  // namespace detail

/// One number of elements per rank, or a cut.
template <class T>
concept counts_range = integer_range<T> || detail::is_cut<T>;

/// The bytes of an argument that is only read.
struct memory_span {
    void const* data = nullptr;  ///< the first byte
    std::size_t bytes = 0;       ///< how many there are
};
/// The bytes of an argument that is written.
struct writable_memory {
    void* data = nullptr;   ///< the first byte
    std::size_t bytes = 0;  ///< how many there are
    /// What can be written can be read.
    operator memory_span() const { return {data, bytes}; }  // NOLINT: meant to be implicit
};

/// The bytes of a contiguous range.
template <class R>
memory_span memory_of(R&& r) {
    return {std::ranges::data(r), std::ranges::size(r) * sizeof(element_t<R>)};
}
template <class R>
writable_memory writable_memory_of(R&& r) {
    return {std::ranges::data(r), std::ranges::size(r) * sizeof(element_t<R>)};
}

namespace detail {

enum class overlap { none, same, other };

/// How `inner` overlaps `outer`: `same` if it is exactly the bytes from `offset` on.
inline overlap overlap_of(memory_span inner, memory_span outer, std::size_t offset) {
    if (inner.bytes == 0 || outer.bytes == 0) { return overlap::none; }
    auto const a = reinterpret_cast<std::uintptr_t>(inner.data);
    auto const b = reinterpret_cast<std::uintptr_t>(outer.data);
    if (a + inner.bytes <= b || b + outer.bytes <= a) { return overlap::none; }
    return a == b + offset ? overlap::same : overlap::other;
}

}  // namespace detail

}  // namespace collectives
