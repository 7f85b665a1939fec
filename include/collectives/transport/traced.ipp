// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/transport/adapted.hpp>
#include <collectives/transport/traced.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

namespace collectives::inline v0 {

class traced::transport final : public adapted {
    struct request final : adapted_request {
        using adapted_request::adapted_request;
        trace_event event{};
        bool open = false;
    };
    static request& of(any_request& r) { return static_cast<request&>(r); }

public:
    transport(std::shared_ptr<any_transport> base, shared_pointer<lean_vector<trace_event>> to)
        : adapted(std::move(base)), events_(std::move(to)) {}

    owned<any_request> make_request() override {
        return make_owned<request>(base().make_request());
    }
    void isend(outgoing const& out, any_request& r) override {
        begin(of(r), out.label, out.to, out.bytes);
        base().isend(out, of(r).below());
    }
    void irecv(incoming const& in, any_request& r) override {
        begin(of(r), in.label, in.from, in.bytes);
        base().irecv(in, of(r).below());
    }
    bool test(any_request& r) override {
        auto& its = of(r);
        if (!base().test(its.below())) { return false; }
        if (std::exchange(its.open, false)) {
            its.event.end_ns = now();
            events_->push_back(its.event);
        }
        return true;
    }
    void cancel(any_request& r) override {
        of(r).open = false;
        base().cancel(of(r).below());
    }
    std::shared_ptr<any_transport> over(std::shared_ptr<any_transport> next) const override {
        return make_shared_object<transport, any_transport>(std::move(next), events_);
    }

private:
    static std::int64_t now() {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }
    void begin(request& r, message_label const& label, rank_t peer, std::size_t bytes) {
        r.event = {now(),  0,    bytes,       label.operation, label.what,  label.action,
                   rank(), peer, label.round, label.segment,   label.chunks};
        r.open = true;
    }

    shared_pointer<lean_vector<trace_event>> events_;
};

COLLECTIVES_INLINE traced::traced() : events_(make_shared_object<lean_vector<trace_event>>()) {}
COLLECTIVES_INLINE std::shared_ptr<any_transport> traced::operator()(
    std::shared_ptr<any_transport> base) const {
    return make_shared_object<transport, any_transport>(std::move(base), events_);
}

}  // namespace collectives
