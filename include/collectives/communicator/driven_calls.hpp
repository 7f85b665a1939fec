// SPDX-License-Identifier: BSD-3-Clause
// Calls that the devices drive: one kernel, enqueued at once, in which ranks wait for each other.
#pragma once

#include <collectives/algorithm/one_shot.hpp>
#include <collectives/algorithm/two_shot.hpp>
#include <collectives/communicator/program_cache.hpp>
#include <collectives/core/deferred.hpp>
#include <collectives/core/failure.hpp>
#include <collectives/core/text.hpp>
#include <collectives/executor/engine.hpp>
#include <collectives/select/selector.hpp>
#include <collectives/transport/cuda/driver.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace collectives {

/// Of transports that may let devices drive.
template <class Transport>
concept driven_transport = requires(Transport& t) {
    { t.driver() } -> std::convertible_to<cuda::device_driver*>;
};

namespace detail {

using driven_kind = cuda::device_request::kind;

/// The kernel for so many bytes, if there is one: else the host drives. `asked`: by the call, or by
/// the environment.
template <class X>
std::optional<deferred<driven_kind, X>> driven_kind_of(collective what, std::size_t bytes,
                                                       any_algorithm asked) {
    using enum collective;
    auto const any = asked.is_automatic();
    auto const one = any || asked.is<one_shot>(), either = one || asked.is<two_shot>();
    constexpr std::size_t small = std::size_t{256} << 10;
    if (what == all_reduce && either) {
        auto const first = any ? bytes <= small : one;
        return first ? driven_kind::one_shot : driven_kind::two_shot;
    }
    if (what == reduce && one) { return driven_kind::reduce; }
    if (what == reduce_scatter && either) { return driven_kind::reduce_scatter; }
    if (what == all_gather && either) { return driven_kind::all_gather; }
    if (what == broadcast && one) { return driven_kind::broadcast; }
    return {};
}
/// Whether a call is one for kernels. The same on all ranks.
template <class = void>
bool may_be_driven(call_request const& r, std::size_t most_element) {
    return r.as == r.shape.what && r.shape.counts.empty() && r.shape.elem_size <= most_element;
}

inline any_algorithm algorithm_of(driven_kind what) {
    return what == driven_kind::two_shot ? any_algorithm(two_shot{}) : any_algorithm(one_shot{});
}

/// What is taken where no algorithm is named but perhaps, as `told`, by the environment; none where
/// the host drives.
template <class X>
std::optional<deferred<explanation, X>> explain_driven(requirement const& need, std::size_t bytes,
                                                       any_algorithm told) {
    auto const kind = driven_kind_of<X>(need.what, bytes, told);
    if (!kind) { return {}; }
    auto const chosen = told.is_automatic() ? algorithm_of(*kind) : told;
    return deferred<explanation, X>{
        chosen,
        text_of(name(need.what), " of ", bytes, " bytes over ", need.size, " ranks: ", name(chosen),
                ", device-driven", (told.is_automatic() ? "" : ", as the environment says")),
        {}};
}

/// Tells all what a kernel has said. `title` is that of the call, as far as it is known.
template <class Engine>
void tell_fault(Engine& e, std::string_view title, cuda::device_fault const& f) {
    using kind = cuda::device_fault::kind;
    if (f.is == kind::none || e.board().stopped()) { return; }
    std::string who;
    for (auto const r : f.peers) { who += text_of((who.empty() ? "" : ", "), r); }
    auto const where = text_of(title, ": rank ", f.by, "'s kernel ");
    if (f.is == kind::mismatched) {
        e.board().fail(failure::make(failure_kind::mismatch,
                                     text_of(where, "met another call of rank ", who)));
    } else if (f.is == kind::timed_out) {
        e.board().fail(failure::make(failure_kind::timeout,
                                     text_of(where, "ran out of time; not there: rank ", who), -1,
                                     f.peers));
    } else {
        e.board().fail(failure::make(failure_kind::aborted, text_of(where, "was ended")));
    }
}

}  // namespace detail

/// Ends when the kernel has.
template <class Transport>
class driven_call final : public activity {
public:
    driven_call(engine<Transport>& e, fingerprint const& what, std::chrono::nanoseconds time)
        : engine_(e) {
        call = what;
        allowed = time;
    }
    /// Ends at once: a graph's kernel runs when the graph does.
    void start_captured() { waits = false; }
    void start(std::uint64_t mark) {
        mark_ = mark;
        finishes_ = true;
    }
    /// Its kernel's end is seen later. Who enqueues too many `must_wait` until those before a mark
    /// have ended, however long they take.
    void start_behind(std::uint64_t mark, bool must_wait) {
        mark_ = mark;
        waits = must_wait;
        allowed = std::chrono::nanoseconds::max();
    }
    bool waits = true;  ///< the caller, until it has ended

    bool progress() override {
        try {
            auto& carrier = engine_.carrier();
            [[maybe_unused]] auto const here = carrier.space().enter();
            auto const ended = mark_ == 0 || carrier.space().passed(mark_);
            detail::tell_fault(engine_, call.title(), carrier.driver()->fault());
            if (!ended || engine_.board().stopped()) { return false; }
            if (finishes_) { engine_.finish(call.sequence); }
            return true;
        } catch (transport_error const& e) {
            engine_.break_by(call.title(), e);
            return false;
        } catch (...) {
            thrown = std::current_exception();
            return false;
        }
    }
    void cancel() override { engine_.carrier().space().drain_if_possible(); }

private:
    engine<Transport>& engine_;
    std::uint64_t mark_ = 0;
    bool finishes_ = false;
};

}  // namespace collectives
