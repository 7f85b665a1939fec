// SPDX-License-Identifier: BSD-3-Clause
// What a message-passing library must offer for a transport to stand on it.
#pragma once

#include <collectives/core/timeout.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/concepts.hpp>
#include <collectives/transport/wire/grace.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace collectives::inline v0::wire {

/// What has come into a receive. `bytes` is what the sender sent, at most what there was room for
/// where the library does not say.
struct arrival {
    std::size_t bytes = 0;
    bool too_long = false;  // for the receive
};

/// A way to the other ranks of a job. A `handle` is a message under way; by default it is none.
///
/// Messages with equal (source, destination, tag) never overtake each other, nor do control
/// messages between two ranks. `test` says whether a message has ended; its handle is then empty. A
/// message to or from a lost rank never ends. `take_back` ends a message early. If it returns
/// false, the library may use the message's memory until `drop_data`, which ends all messages for
/// good, except control messages, and says whether any memory is still in use; `close` does so at
/// the very end. `job` is equal on all ranks. It differs from that of earlier links whose control
/// messages may still arrive. Everything else throws transport_error for what the library refuses.
template <class T>
concept link = requires(T t, T const c, typename T::handle& h, arrival& in, std::byte const* from,
                        std::byte* to, bool (*ready)()) {
    typename T::handle;
    { c.rank() } -> std::same_as<rank_t>;
    { c.size() } -> std::same_as<int>;
    { c.processors() } -> std::same_as<int>;
    { c.job() } -> std::same_as<std::uint64_t>;
    // A longer message goes in fragments of so many bytes. `agreed`: both sides know its size.
    { c.largest_fragment(std::size_t{}, bool{}) } -> std::same_as<std::size_t>;
    { t.send(from, std::size_t{}, rank_t{}, std::uint64_t{}) } -> std::same_as<typename T::handle>;
    { t.receive(to, std::size_t{}, rank_t{}, std::uint64_t{}) } -> std::same_as<typename T::handle>;
    // Whether a message has come that no receive has asked for.
    { t.waits(rank_t{}, std::uint64_t{}) } -> std::same_as<bool>;
    { t.send_control(from, std::size_t{}, rank_t{}) } -> std::same_as<typename T::handle>;
    { t.receive_control(to, std::size_t{}) } -> std::same_as<typename T::handle>;  // of any rank
    { t.test(h, in) } -> std::same_as<bool>;
    { t.take_back(h, grace{}) } -> std::same_as<bool>;
    { t.progress() } -> std::same_as<bool>;
    { t.doze(ready, std::chrono::nanoseconds{}) };
    { c.gone(rank_t{}) } -> std::same_as<std::optional<peer_exit>>;
    { c.usable() } -> std::same_as<bool>;             // false once the library has been shut down
    { c.can_reach(rank_t{}) } -> std::same_as<bool>;  // control messages reach it
    { c.notices_deaths() } -> std::same_as<bool>;     // so `can_reach` is false of the dead
    { t.progress_control() } -> std::same_as<bool>;
    { t.drop_data() } -> std::same_as<bool>;
    { t.close(bool{}) } -> std::same_as<bool>;
};

}  // namespace collectives::wire
