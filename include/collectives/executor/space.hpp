// SPDX-License-Identifier: BSD-3-Clause
// Where the buffers of a transport's collectives lie: the host's memory, or a device's, in which
// what is asked for is enqueued and done later, in order.
#pragma once

#include <collectives/space/host.hpp>
#include <collectives/space/reducer.hpp>
#include <collectives/transport/concepts.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace collectives {

/// A transport for buffers in a device's memory. Its `space()` enqueues what it is asked for:
/// `copy`; a pass whose `reduction::queue` is `queue()`; `note()`, which is called before a peer is
/// told of what was enqueued so far; `after(rank)`, after which all that comes waits for what that
/// rank of the job noted last. All this happens while what `enter()` gives lives. `follow(stream)`:
/// what comes waits for what is on a user's stream. `mark()` and `passed(mark)` tell when all that
/// was enqueued is done, `drain_if_possible()` waits for it, and does not throw; neither does
/// `deallocate`.
template <class T>
concept device_transport = requires(T& t, void* p, std::size_t n, std::uint64_t mark) {
    t.space().copy(p, p, n);
    t.space().queue();
    t.space().note();
    t.space().after(rank_t{});
    t.space().follow(p);
    { t.space().mark() } -> std::convertible_to<std::uint64_t>;
    { t.space().passed(mark) } -> std::same_as<bool>;
    t.space().drain_if_possible();
    t.space().enter();
    { t.space().allocate(n) } -> std::same_as<void*>;
    t.space().zero(p, n);
    t.space().deallocate(p, n);
    t.space().require_reachable(p, n);
};

/// The space of a transport's buffers.
template <class Transport>
decltype(auto) space_of(Transport& t) {
    if constexpr (device_transport<Transport>) {
        return t.space();
    } else {
        return host::space{};
    }
}
template <class Transport>
using space_type = std::remove_cvref_t<decltype(space_of(std::declval<Transport&>()))>;

/// Whether all work of call `sequence` that others waited for was done: of a rank that died before
/// it had finished the call they are let go, where what they wait for is not an event.
template <class Space, class Engine>
bool nobody_was_let_go([[maybe_unused]] Space const& in, [[maybe_unused]] Engine& e,
                       [[maybe_unused]] std::uint64_t sequence) {
    if constexpr (requires { in.was_let_go(rank_t{}); }) {
        for (rank_t r = 0; r < e.size(); ++r) {
            auto const left_work = e.board().finished(r) < sequence;
            if (left_work && in.was_let_go(e.group().job_rank(r))) { return false; }
        }
    }
    return true;
}

/// Memory for one rank's buffers: where peers reach it, if there is such memory (zeroed then).
template <transport Transport>
void* take_memory(Transport& t, std::size_t bytes) {
    if constexpr (peer_addressable<Transport>) {
        return t.allocate(bytes);
    } else if constexpr (device_transport<Transport>) {
        return t.space().allocate(bytes);
    } else {
        return ::operator new(bytes, std::align_val_t{64});
    }
}
template <transport Transport>
void give_memory_back(Transport& t, void* p, std::size_t bytes) {
    if constexpr (peer_addressable<Transport>) {
        t.deallocate(p, bytes);
    } else if constexpr (device_transport<Transport>) {
        t.space().deallocate(p, bytes);
    } else {
        ::operator delete(p, std::align_val_t{64});
    }
}

/// Makes reducers for a space. Those of devices specialise it where their kernels are known, and
/// find those that pack buckets there, too: see `describe_element`.
template <class Space>
struct reducer_maker {
    template <class T, reduction_op<T> Op>
    static reducer make(Op const& op) {
        return host::make_reducer<T>(op);
    }
};

}  // namespace collectives
