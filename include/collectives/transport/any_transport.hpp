// SPDX-License-Identifier: BSD-3-Clause
// A transport without its type. The communicator and the layers below it use this.
#pragma once

#include <collectives/core/device_space.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/lending_case.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/progress_lock.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/text.hpp>
#include <collectives/transport/any_board.hpp>
#include <collectives/transport/loss.hpp>
#include <collectives/transport/message.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace collectives::inline v0 {

/// A message under way. Stays where it is from isend or irecv until it tests true or is cancelled.
class any_request {
public:
    virtual ~any_request() = default;
    /// What came differs in size or check.
    virtual bool wrong() const = 0;
    /// What came.
    virtual std::size_t actual_bytes() const = 0;
    virtual std::uint64_t actual_check() const = 0;
    /// Whether more came than was expected: at least `actual_bytes`.
    virtual bool came_cut() const { return false; }
};

/// The memory of ranks that can reach each other's memory, or some of it.
class peer_memory {
public:
    virtual ~peer_memory() = default;

    /// A location that any rank can turn back into a pointer with `at`; 0 where peers cannot.
    virtual std::uint64_t reach(void const* p, std::size_t bytes) = 0;
    /// Throws transport_error where a peer's location is not that of so many bytes. Threads of one
    /// process trust each other: there any location will do.
    virtual std::byte* at(std::uint64_t location, std::size_t bytes) = 0;
    /// Zeroed memory that peers reach. Throws transport_error if there is none.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void deallocate(void* p, std::size_t bytes) = 0;
    /// Every address can be reached (threads of one process).
    virtual bool always_reachable() const = 0;
    /// Whether peers can `fetch` these bytes, which they do not reach. May become true later.
    virtual bool lends(void const*, std::size_t) { return false; }
    /// Whether that rank of the job prefers `fetch` to what peers stage in this case.
    virtual bool prefers_lent(rank_t /*reader*/, lending_case) { return false; }
    /// Tells the transport how long a reading of this rank took. What the rank prefers follows from
    /// that; now and then it prefers the other way, to compare.
    virtual void note_reading(lending_case, reading, std::chrono::nanoseconds) {}
    /// Copies bytes at an address of rank `from` of the job, which lends them. Returns false if its
    /// process has ended. Throws transport_error for what the system refuses.
    virtual bool fetch(rank_t, std::uint64_t, std::byte*, std::size_t) { return false; }
    /// Copies bytes to an address of rank `to` of the job, which lends it. Returns and throws as
    /// `fetch` does.
    virtual bool put(rank_t /*to*/, std::uint64_t, std::byte const*, std::size_t) { return false; }
    /// Marks that this rank accesses a peer's memory, and that it no longer does.
    virtual void enter_memory() = 0;
    virtual void leave_memory() = 0;
    /// Frees what `allocate` gave once all ranks have closed the board, which this rank does next.
    virtual void free_when_closed(any_board& board, void* p, std::size_t bytes) = 0;
};

namespace detail {

class communicator_core;
struct call_request;
/// Runs a call, or returns false and has done nothing.
using short_path = bool (*)(communicator_core&, call_request const&);

}  // namespace detail

/// The operations of `concept transport` (transport/concepts.hpp has the guarantees) as virtual
/// functions, and what only some transports can do. Adaptors derive from it.
class any_transport {
public:
    /// What `doze` asks before it sleeps.
    using condition = function_ref<bool()>;
    /// share(x) gives the x of rank 0 of the new board on all of its ranks.
    using share_function = function_ref<std::uint64_t(std::uint64_t)>;

    any_transport() = default;
    any_transport(any_transport const&) = delete;
    any_transport& operator=(any_transport const&) = delete;
    virtual ~any_transport() = default;

    virtual rank_t rank() const = 0;
    virtual int size() const = 0;

    virtual owned<any_request> make_request() = 0;
    virtual void isend(outgoing const& out, any_request& r) = 0;
    virtual void irecv(incoming const& in, any_request& r) = 0;
    virtual bool test(any_request& r) = 0;
    virtual void cancel(any_request& r) = 0;
    /// Whether receives honour `incoming::take`.
    virtual bool can_consume() const = 0;
    virtual bool poll() = 0;
    virtual void doze(condition ready, std::chrono::nanoseconds time) = 0;
    virtual std::optional<peer_exit> gone(rank_t r) const = 0;
    virtual void note_trouble() = 0;

    virtual owned<any_board> first_board() = 0;
    virtual owned<any_board> make_board(lean_vector<rank_t> group, rank_t rank_in_group,
                                        share_function share) = 0;
    virtual void close_board(any_board& b) = 0;
    /// Whether the survivors of a failure can go on: else `renew` is not called.
    virtual bool can_renew() const = 0;
    /// What the survivors of a failure go on with, and their board: a transport of theirs alone, in
    /// which they are ranks 0, 1, ... in the order of `of.survivors`; or, with `same_ranks`, one in
    /// which they keep their ranks. Collective among them. Throws transport_error for what the
    /// system refuses.
    struct renewed {
        shared_pointer<any_transport> carrier;  ///< null: this one, with same_ranks
        owned<any_board> board;                 ///< that of the survivors
        bool same_ranks = false;                ///< they keep their ranks
    };
    virtual renewed renew(any_board& broken, loss const& of) = 0;

    // ---- what only some can; the defaults stand for a transport that cannot

    /// Null if peers cannot reach each other's memory.
    virtual peer_memory* memory() { return nullptr; }
    /// Null if buffers are in the host's memory.
    virtual device_space* device() { return nullptr; }
    /// Processors that the ranks of the job share; 0 if not all ranks know that.
    virtual int processors() const { return 0; }
    /// The number of rank r's host; -1 if that is not known of any rank.
    virtual int host(rank_t) const { return -1; }
    /// Whether rank r is a process that has been stopped (SIGSTOP).
    virtual bool suspended(rank_t) const { return false; }
    /// Whether rank r is accessing a peer's memory.
    virtual bool accesses_memory(rank_t) const { return false; }
    /// Whether other threads than the one that made it may use it, one at a time.
    virtual bool any_thread() const { return true; }
    /// The bytes of the next message with a `check` that has come from a rank under a tag and waits
    /// for its receive. Throws usage_error where the transport cannot tell.
    virtual std::optional<std::size_t> probe(rank_t from, std::uint64_t tag);
    /// Receives control messages.
    virtual void receive_control(std::chrono::nanoseconds) {}
    /// Sends the failures that boards have noted.
    virtual void tell_failures() {}
    /// Whether `keep` holds memory that cancelled messages may still use.
    virtual bool keeps_memory() const { return false; }
    virtual void keep(shared_pointer<void const>) {}
    /// Registers memory, which the transport then moves faster.
    virtual void register_memory(void*, std::size_t) {}
    virtual void deregister_memory(void*) {}
    /// Sets the lock under which this rank makes progress.
    virtual void use_lock(shared_pointer<progress_lock>) {}
    /// The number of rank r's device if ranks on one device should have a leader; else a number of
    /// its own.
    virtual int shared_device(rank_t r) const { return -1 - r; }

    /// The short path of calls over messages, compiled for this transport's own type
    /// (communicator/message_path.hpp). Null: there is none.
    detail::short_path short_path = nullptr;
};

[[gnu::cold]] inline std::optional<std::size_t> any_transport::probe(rank_t, std::uint64_t) {
    throw_error<usage_error>("probe: this transport cannot tell what waits");
}

}  // namespace collectives
