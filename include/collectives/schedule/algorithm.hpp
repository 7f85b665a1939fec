// SPDX-License-Identifier: BSD-3-Clause
// The concept `algorithm`: what a type must offer to be run, proved, costed and drawn.
#pragma once

#include <collectives/schedule/step.hpp>

#include <concepts>
#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

namespace detail {

/// A sink that drops its steps; it stands for any sink in the concepts below.
struct null_sink {
    constexpr void operator()(step const&) const {}
};

template <class A>
concept has_steps = requires(A const a, null_sink s) { a.steps(rank_t{}, int{}, s); };
template <class A>
concept has_reduce_scatter =
    requires(A const a, null_sink s) { a.reduce_scatter(rank_t{}, int{}, s); };
template <class A>
concept has_all_gather = requires(A const a, null_sink s) { a.all_gather(rank_t{}, int{}, s); };
template <class A>
concept has_reduce = requires(A const a, null_sink s) { a.reduce(rank_t{}, int{}, rank_t{}, s); };
template <class A>
concept has_broadcast =
    requires(A const a, null_sink s) { a.broadcast(rank_t{}, int{}, rank_t{}, s); };
template <class A>
concept has_gather = requires(A const a, null_sink s) { a.gather(rank_t{}, int{}, rank_t{}, s); };
template <class A>
concept has_scatter = requires(A const a, null_sink s) { a.scatter(rank_t{}, int{}, rank_t{}, s); };
template <class A>
concept has_all_to_all = requires(A const a, null_sink s) { a.all_to_all(rank_t{}, int{}, s); };
template <class A>
concept has_scan = requires(A const a, null_sink s) { a.scan(rank_t{}, int{}, s); };
template <class A>
concept has_owner = requires(A const a) {
    { a.owner(int{}, int{}) } -> std::same_as<rank_t>;
};
template <class A>
concept has_fits = requires(A const a) {
    { a.fits(int{}) } -> std::same_as<bool>;
};
template <class A>
concept has_hints = requires {
    { A::hints } -> std::convertible_to<run_hints>;
};

/// The two halves of the all-reduce, over `chunks(size)` chunks, joined on owners.
template <class A>
concept joins_on_owners = has_reduce_scatter<A> && has_all_gather<A> && !has_steps<A>;

template <class A>
concept joins_on_root = has_reduce<A> && has_broadcast<A>;

}  // namespace detail

/// `name`, a `std::string_view`, is what messages and `parse_algorithm` call it.
template <class A>
concept has_a_name = requires {
    { A::name } -> std::convertible_to<std::string_view>;
};

/// `chunks(size)`: into how many chunks the algorithm cuts the vector, at least 1.
template <class A>
concept counts_its_chunks = requires(A const a) {
    { a.chunks(int{}) } -> std::same_as<int>;
};

/// One int that the steps depend on, such as the number of ranks per host. The algorithm is made
/// from it, and `parameter()` returns it.
template <class A>
concept has_a_parameter =
    sizeof(A) == sizeof(int) && std::is_trivially_copyable_v<A> && requires(A const a) {
        A{int{}};
        { a.parameter() } -> std::same_as<int>;
    };

/// An algorithm is a pure function: what it emits must not depend on anything that could change.
template <class A>
concept has_no_state_but_a_parameter = std::is_empty_v<A> || has_a_parameter<A>;

/// `A{}`: a name alone says which algorithm is meant; a parameter has a default.
template <class A>
concept is_made_of_nothing = requires { A{}; };

/// Whether the steps of an all-reduce can be derived; see `algorithm`.
template <class A>
concept emits_an_all_reduce =
    detail::has_steps<A> || detail::joins_on_owners<A> || detail::joins_on_root<A>;

/// A type, empty but for one parameter at most, whose functions, static or const, emit the steps of
/// one rank. They know ranks and chunk numbers and no buffer, byte or transport. At least one of
/// three families, each function taking a `step_sink auto&& emit` last:
///
///  (a) reduce_scatter(me, size, emit) and all_gather(me, size, emit): the halves of the all-reduce
///      over chunks(size) chunks. After the first, and before the second, chunk c is complete on
///      rank owner(c, size), which is c itself unless the type says otherwise;
///  (b) reduce(me, size, root, emit) and broadcast(me, size, root, emit);
///  (c) steps(me, size, emit): the whole all-reduce.
///
/// Optional: fits(size), false for the numbers of ranks that it is not for; hints (run_hints);
/// gather and scatter(me, size, root, emit), all_to_all(me, size, emit) over `size` blocks;
/// scan(me, size, emit) over chunks(size) chunks, also for one rank less, as exscan needs it; and
/// whichever functions of the other families it has a better way for. A reduce_scatter or
/// all_gather that is not one of the halves of family (a) is over `size` blocks, block i of rank i.
/// `compose.hpp` derives every collective that is not there.
///
/// Guarantees asked: rounds ascend within one rank; a send and its receive carry the same round and
/// chunks; a rank emits the same steps whenever it is asked. `check` proves the rest.
template <class A>
concept algorithm = has_no_state_but_a_parameter<A> && is_made_of_nothing<A> && has_a_name<A> &&
                    counts_its_chunks<A> && emits_an_all_reduce<A>;

/// Whether an algorithm fits so many ranks. Most fit any number.
template <algorithm A>
constexpr bool fits([[maybe_unused]] A a, int size) {
    if constexpr (detail::has_fits<A>) {
        return size > 0 && a.fits(size);
    } else {
        return size > 0;
    }
}

}  // namespace collectives
