// SPDX-License-Identifier: BSD-3-Clause
// The optional capabilities of transports, one concept for each. `transport_model` passes on what a
// transport models. Tests assert what each of the library's own transports models, so that a
// misspelt function does not switch a capability off silently.
#pragma once

#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/lending_case.hpp>
#include <collectives/core/progress_lock.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/transport/concepts.hpp>
#include <collectives/transport/loss.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace collectives::inline v0 {

/// Knows how many processors the ranks of the job share. Equal on all ranks.
template <class T>
concept counts_processors = requires(T const t) {
    { t.processors() } -> std::convertible_to<int>;
};
/// Knows which ranks share a host: `host(r)` is the number of rank r's host, 0 or more.
template <class T>
concept knows_hosts = requires(T const t) {
    { t.host(rank_t{}) } -> std::convertible_to<int>;
};
/// Sees whether a rank is a process that has been stopped (SIGSTOP).
template <class T>
concept sees_stopped_ranks = requires(T const t) {
    { t.suspended(rank_t{}) } -> std::convertible_to<bool>;
};
/// Sees whether a rank is accessing a peer's memory.
template <class T>
concept sees_memory_access = requires(T const t) {
    { t.accesses_memory(rank_t{}) } -> std::convertible_to<bool>;
};
/// May be used only by the thread that made it: `any_thread()` says whether other threads may use
/// it too.
template <class T>
concept restricts_threads = requires(T const t) {
    { t.any_thread() } -> std::convertible_to<bool>;
};
/// Knows which messages wait for their receives: `probe(from, tag)` gives the bytes of the next one
/// with a `check` that has come and that no receive has been posted for.
template <class T>
concept probing = requires(T t) {
    { t.probe(rank_t{}, std::uint64_t{}) } -> std::same_as<std::optional<std::size_t>>;
};
/// Its boards exchange control messages: `receive_control(pause)` takes in those that have come,
/// unless it did so in the last `pause`, and `tell_failures()` sends what boards have noted by
/// `fail`, which any thread may call.
template <class T>
concept receives_control = requires(T t) {
    t.receive_control(std::chrono::nanoseconds{});
    t.tell_failures();
};
/// Holds memory for as long as cancelled messages may still use it.
template <class T>
concept keeps_memory = requires(T t, shared_pointer<void const> m) { t.keep(m); };
/// Is used beside the calls of this rank too, and takes its progress lock then.
template <class T>
concept uses_progress_lock = requires(T t, shared_pointer<progress_lock> of) { t.use_lock(of); };
/// After a failure the survivors, ranks of this transport, get a new one of theirs alone.
/// What a stopped rank may still write when it goes on does not reach it.
template <class T>
concept renewing = requires(T t, typename T::board& broken, loss const& of) {
    shared_pointer<T>(t.renew(broken, of));
};
/// After a failure the survivors go on over the same transport, with a new board.
template <class T>
concept reopening = requires(T t, typename T::board& broken, loss const& of) {
    { t.reopen(broken, of) } -> std::same_as<typename T::board>;
};
/// Frees memory once all ranks have closed a board.
template <class T>
concept frees_when_closed =
    requires(T t, typename T::board& b, void* p) { t.free_when_closed(b, p, std::size_t{}); };
/// Its ranks copy from and to each other's private memory.
template <class T>
concept lends_memory = requires(T t, std::byte* p, std::byte const* from, lending_case what) {
    { t.lends(p, std::size_t{}) } -> std::same_as<bool>;
    { t.prefers_lent(rank_t{}, what) } -> std::same_as<bool>;
    t.note_reading(what, reading{}, std::chrono::nanoseconds{});
    { t.fetch(rank_t{}, std::uint64_t{}, p, std::size_t{}) } -> std::same_as<bool>;
    { t.put(rank_t{}, std::uint64_t{}, from, std::size_t{}) } -> std::same_as<bool>;
};
/// Has a board for all ranks of the job.
template <class T>
concept has_first_board = requires(T t) {
    { t.first_board() } -> std::same_as<typename T::board>;
};

/// A board whose ranks must ask each other what they have called.
template <class B>
concept asking_board = requires(B b, B const c) {
    b.ask(std::uint64_t{});
    b.watch(rank_t{});
    { b.inquire() } -> std::same_as<inquiry_state>;
    { c.has_left(rank_t{}) } -> std::same_as<bool>;
};
/// A board whose ranks agree on who survives a failure by messages.
template <class B>
concept agreeing_board = requires(B b, B const c, function_ref<bool(rank_t)> lost) {
    { b.agree_on_survivors(lost) } -> std::convertible_to<std::optional<lean_vector<rank_t>>>;
    { c.silent_ranks() } -> std::same_as<lean_vector<rank_t>>;
};
/// A board on which ranks say where they wait.
template <class B>
concept reports_waits = requires(B b, B const c) {
    b.publish_wait(wait_point{});
    { c.wait_of(rank_t{}) } -> std::same_as<wait_point>;
};
/// A request that may know only that more bytes came than were expected.
template <class R>
concept cutting_request = requires(R const r) {
    { r.came_cut() } -> std::same_as<bool>;
};

}  // namespace collectives
