// SPDX-License-Identifier: BSD-3-Clause
// An adaptor that records when each step of a rank began and ended.
#pragma once

#include <collectives/core/compiled.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/schedule/trace_event.hpp>

#include <memory>
#include <span>

namespace collectives::inline v0 {

class any_transport;

/// traced trace; auto told = comm.with(trace): `trace` then has one event per message of this rank
/// on `told` and its children, from its post until it was found done. A reduction that happens as
/// the bytes come is part of its receive. Copies share their events, and may outlive the
/// communicator.
class traced {
public:
    traced();  ///< without events

    /// For `communicator::with`: the transport that records.
    std::shared_ptr<any_transport> operator()(std::shared_ptr<any_transport> base) const;

    /// The events since the last `reset`, in the order in which they ended. Ranks are those of the
    /// job.
    std::span<trace_event const> events() const { return {events_->data(), events_->size()}; }
    void reset() { events_->clear(); }  ///< forgets the events so far

private:
    class transport;
    shared_pointer<lean_vector<trace_event>> events_;
};

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/transport/traced.ipp>
#endif
