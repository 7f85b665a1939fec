// SPDX-License-Identifier: BSD-3-Clause
// The short path of calls over messages.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/transport/model.hpp>

#include <exception>
#include <type_traits>
#include <utility>

namespace collectives::inline v0::detail {

/// Runs a call of one segment that is like an earlier one, while nothing else is under way. It
/// becomes an activity of the engine only when it has waited for a while, or something goes wrong.
/// With a transport's own type the call reaches its messages without a virtual call; with
/// any_transport it serves shared memory, where few calls travel as messages.
template <class Transport>
struct message_path {
    /// Returns false if the call cannot take this path; then nothing has been done.
    static bool run(communicator_core& core, call_request const& r) {
        auto& e = core.engine_;
        auto& by = carrier(e);
        if (!e.is_quiet() || !has_just_looked(by) || is_prepared(r)) { return false; }
        auto const* const found = core.planner_.find(r);
        auto const* const steps = found == nullptr ? nullptr : (*found)->whole_over_messages();
        if (steps == nullptr) { return false; }
        auto& what = **found;
        auto& o = core.idle_.empty() ? core.next_operation() : *core.idle_.back();
        auto const entered = e.calls.number(what.hash());
        std::exception_ptr thrown;
        try {
            o.begin(e, what, *steps, entered,
                    {static_cast<std::byte const*>(r.in), static_cast<std::byte*>(r.out), r.op});
            auto done = o.go_on(by);
            enter(e, what, entered);  // while messages are under way
            if (++core.calls_ % core.calls_between_polls == 0) { by.poll(); }
            auto const turns = e.shared()->core_per_rank ? most_turns : 0;
            for (auto turn = 0; turn < turns && !done && !e.stopped(); ++turn) {
                by.poll();
                done = o.go_on(by);
            }
            if (done) {
                e.calls.finish(entered.sequence);
                return true;
            }
        } catch (...) { thrown = std::current_exception(); }
        core.wait_over_messages(r, *found, entered, thrown);
        return true;
    }

private:
    static constexpr int most_turns = 1000;  // of about 20 ns
    static constexpr bool is_typed = !std::is_same_v<Transport, any_transport>;

    static auto& carrier(engine& e) {
        if constexpr (is_typed) {
            return static_cast<transport_model<Transport>&>(e.carrier());
        } else {
            return e.carrier();
        }
    }
    /// Whether the transport has polled for control messages lately.
    template <class By>
    static bool has_just_looked(By& by) {
        if constexpr (is_typed) { return by.of().has_just_looked(); }
        return true;  // shared memory has none
    }
    static void enter(engine& e, program const& what, entry const& as) {
        if constexpr (is_typed) {
            board_of<typename Transport::board>(e.board()).enter(what.call(), what.hash(),
                                                                 as.sequence, as.past);
        } else {
            e.calls.leave_word(what.call(), what.hash(), as);
        }
    }

    /// Whether the input is changed or copied before anything is sent.
    static bool is_prepared(call_request const& r) {
        return (r.op != nullptr && r.op->prepares) ||
               (r.shape.what == collective::all_to_all && r.shape.in_place);
    }
};

/// The communicator of all ranks of a job over messages.
template <template <class> class Pointer, transport Transport>
communicator communicator_over(Pointer<Transport> ranks) {
    auto carrier = erase(std::move(ranks));
    carrier->short_path = &message_path<Transport>::run;
    return communicator(std::move(carrier));
}

}  // namespace collectives::detail
