// SPDX-License-Identifier: BSD-3-Clause
// An adaptor that writes down when each step of a rank began and ended.
#pragma once

#include <collectives/core/deferred.hpp>
#include <collectives/schedule/trace_event.hpp>
#include <collectives/transport/adapted.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace collectives {

/// One event per message: from when it was posted to when it was found done. A reduction that
/// happens as the bytes come is part of its receive.
template <transport Base>
class traced_transport : public adapted<Base> {
public:
    using adapted<Base>::adapted;

    class request : public Base::request {
        friend class traced_transport;
        trace_event event_{};
        bool open_ = false;
    };

    void isend(outgoing const& out, request& r) {
        begin(r, out.label, out.to, out.bytes);
        this->base().isend(out, r);
    }
    void irecv(incoming const& in, request& r) {
        begin(r, in.label, in.from, in.bytes);
        this->base().irecv(in, r);
    }
    bool test(request& r) {
        if (!this->base().test(r)) { return false; }
        if (r.open_) {
            r.open_ = false;
            r.event_.end_ns = now();
            events_.push_back(r.event_);
        }
        return true;
    }
    void cancel(request& r) {
        r.open_ = false;
        this->base().cancel(r);
    }

    /// This rank's events since the last `reset`, in the order in which they ended. Ranks are those
    /// of the job.
    std::span<trace_event const> events() const { return events_; }
    void reset() { events_.clear(); }

private:
    static std::int64_t now() {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }
    void begin(request& r, message_label const& label, rank_t peer, std::size_t bytes) {
        r.event_ = {now(),        0,    bytes,       label.operation, label.what,  label.action,
                    this->rank(), peer, label.round, label.segment,   label.chunks};
        r.open_ = true;
    }

    deferred<std::vector<trace_event>, Base> events_;
};

/// comm.with(traced{}): a communicator whose transport() has the events.
struct traced {
    template <transport Base>
    auto operator()(std::shared_ptr<Base> base) const {
        return std::make_shared<traced_transport<Base>>(std::move(base));
    }
};

}  // namespace collectives
