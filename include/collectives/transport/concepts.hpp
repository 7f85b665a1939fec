// SPDX-License-Identifier: BSD-3-Clause
// What a transport is: tagged non-blocking messages, and a board on which ranks publish their
// calls.
#pragma once

#include <collectives/core/failure.hpp>
#include <collectives/core/fingerprint.hpp>
#include <collectives/transport/any_board.hpp>
#include <collectives/transport/message.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace collectives::inline v0 {

/// Tagged non-blocking messages between `size()` ranks.
///
/// Ordering: messages with equal (source, destination, tag) never overtake each other; others may.
/// Tags: all 64 bits count; what is said at `pair_bit` helps a transport whose own are shorter.
/// Ownership: a buffer and a request are the transport's until `test` says true or `cancel`
/// returns. Progress: made by `poll`, which never blocks; `doze(ready, time)` sleeps until a peer
/// may have done something, or `time` has passed, after calling `ready()` once when it can no
/// longer miss it (true: do not sleep). A transport whose peers' memory is reachable may be asked
/// to sleep by several threads of a rank, and does nothing but sleep after `ready()`. Errors: a
/// receive whose size or check differs tests true and is `wrong()`. `gone(rank)` reports a lost
/// peer; a request does not. `can_consume`: whether receives honour `incoming::take`. `board`: a
/// communicator's place for fingerprints and failures, see transport/shared/board.hpp. A transport
/// whose messages cannot always be called back offers `keep(memory)`, which holds memory for as
/// long as cancelled messages may use it. A transport that may be bound to the thread that made it
/// offers `any_thread()`, which says whether it is not. transport/capabilities.hpp names all
/// optional capabilities.
///
/// A user's transport models this and has `first_board()` and `make_board(group, rank, share)`;
/// `communicator(erase(std::make_shared<mine>(...)))` uses it (transport/model.hpp). A user's
/// adaptor is a class that derives from `adapted`, over any transport (transport/adapted.hpp), and
/// a handle that makes it for `comm.with(handle)`.
template <class T>
concept transport = requires(T t, T const c, outgoing const& out, incoming const& in,
                             typename T::request& r, typename T::board& b, bool (*ready)()) {
    typename T::request;
    typename T::board;
    { T::can_consume } -> std::convertible_to<bool>;
    { c.rank() } -> std::same_as<rank_t>;
    { c.size() } -> std::same_as<int>;
    { t.isend(out, r) };
    { t.irecv(in, r) };
    { t.test(r) } -> std::same_as<bool>;
    { t.cancel(r) };
    { t.poll() };
    { t.doze(ready, std::chrono::nanoseconds{}) };
    { t.close_board(b) };
    { t.note_trouble() };
    { c.gone(0) } -> std::same_as<std::optional<peer_exit>>;
    { r.wrong() } -> std::same_as<bool>;
    { r.actual_bytes() } -> std::same_as<std::size_t>;
    { r.actual_check() } -> std::same_as<std::uint64_t>;
};

/// Set in the location of memory that peers do not reach but its rank lends: the rest is its
/// address.
inline constexpr std::uint64_t lent = std::uint64_t{1} << 63;

/// A transport whose ranks can reach each other's memory, or some of it. `reach(p, bytes)` is a
/// location that any rank can turn back into a pointer with `at(location, bytes)`, which throws
/// transport_error for what is no such location, or 0 if peers cannot reach it.
/// `always_reachable`: every address can be reached (threads of one process).
template <class T>
concept peer_addressable = transport<T> && requires(T t, void* p, std::uint64_t where) {
    { T::always_reachable } -> std::convertible_to<bool>;
    { t.reach(p, std::size_t{}) } -> std::same_as<std::uint64_t>;
    { t.at(where, std::size_t{}) } -> std::same_as<std::byte*>;
    { t.allocate(std::size_t{}) } -> std::same_as<void*>;
    { t.deallocate(p, std::size_t{}) };
};

/// A transport that moves memory faster once it knows it. Registered memory is deregistered before
/// it is freed. Both functions throw what the layer below refuses.
template <class T>
concept memory_registering = requires(T t, void* p) {
    { t.register_memory(p, std::size_t{}) };
    { t.deregister_memory(p) };
};

}  // namespace collectives
