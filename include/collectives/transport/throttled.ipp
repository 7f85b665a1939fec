// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/text.hpp>
#include <collectives/transport/adapted.hpp>
#include <collectives/transport/throttled.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace collectives::inline v0 {

namespace detail {

class throttled_transport final : public adapted {
    using clock = std::chrono::steady_clock;

    enum class stage : std::uint8_t { idle, held, below, arrived };
    struct request final : adapted_request {
        using adapted_request::adapted_request;
        stage at = stage::idle;
        bool sends = false;
        outgoing out{};
        std::size_t bytes = 0;
        clock::time_point due{};
    };
    static request& of(any_request& r) { return static_cast<request&>(r); }

public:
    throttled_transport(std::shared_ptr<any_transport> base, throttled const& link)
        : adapted(std::move(base)), link_(link) {}

    owned<any_request> make_request() override {
        return make_owned<request>(base().make_request());
    }
    void isend(outgoing const& out, any_request& any) override {
        auto& r = of(any);
        out_free_ = std::max(clock::now(), out_free_) + time_of(out.bytes);
        r.sends = true;
        r.out = out;
        r.at = stage::held;
        r.due = out_free_ + link_.latency;
        held_.push_back(&r);
    }
    void irecv(incoming const& in, any_request& any) override {
        auto& r = of(any);
        r.sends = false;
        r.bytes = in.bytes;
        r.at = stage::below;
        base().irecv(in, r.below());
        awaited_.push_back(&r);
    }
    bool test(any_request& any) override {
        auto& r = of(any);
        if (r.at == stage::held) { return false; }
        if (r.sends) { return base().test(r.below()); }
        if (r.at == stage::below) { arrive(); }
        return r.at == stage::arrived && clock::now() >= r.due;
    }
    void cancel(any_request& any) override {
        auto& r = of(any);
        if (r.at == stage::held) {
            held_.erase_value(&r);
        } else {
            awaited_.erase_value(&r);
            base().cancel(r.below());
        }
    }
    bool poll() override {
        bool moved = false;
        while (!held_.empty() && clock::now() >= held_.front()->due) {
            auto& r = *held_.front();
            held_.erase(held_.begin());
            r.at = stage::below;
            base().isend(r.out, r.below());
            moved = true;
        }
        moved = base().poll() || moved;
        arrive();
        return moved;
    }
    void doze(condition ready, std::chrono::nanoseconds time) override {
        auto const now = clock::now();
        auto until = now + time;
        if (!held_.empty()) { until = std::min(until, held_.front()->due); }
        if (next_arrival_ > now) { until = std::min(until, next_arrival_); }
        auto const left = std::chrono::duration_cast<std::chrono::nanoseconds>(until - now);
        if (left.count() > 0) { base().doze(ready, left); }
    }
    std::shared_ptr<any_transport> over(std::shared_ptr<any_transport> next) const override {
        return link_(std::move(next));
    }

private:
    /// What has come passes the link in the order in which it came, whatever the order in which
    /// the receives are tested.
    void arrive() {
        awaited_.erase_if([this](request* r) {
            if (!base().test(r->below())) { return false; }
            in_free_ = std::max(clock::now(), in_free_ + time_of(r->bytes));
            r->due = next_arrival_ = in_free_;
            r->at = stage::arrived;
            return true;
        });
    }

    clock::duration time_of(std::size_t bytes) const {
        return std::chrono::duration_cast<clock::duration>(
            std::chrono::duration<double>(static_cast<double>(bytes) / link_.bytes_per_second));
    }

    throttled link_;
    clock::time_point out_free_{}, in_free_{}, next_arrival_{};
    lean_vector<request*> held_;     // to be sent, in order
    lean_vector<request*> awaited_;  // receives that nothing has come for
};

}  // namespace detail

COLLECTIVES_INLINE std::shared_ptr<any_transport> throttled::operator()(
    std::shared_ptr<any_transport> base) const {
    if (!(bytes_per_second > 0)) {  // nor is NaN a rate
        throw_error<usage_error>("rank ", base->rank(),
                                 ", with: throttled needs bytes_per_second above 0");
    }
    if (latency < latency.zero()) {
        throw_error<usage_error>("rank ", base->rank(), ", with: throttled has a latency of ",
                                 latency.count(), " ns, less than 0");
    }
    return make_shared_object<detail::throttled_transport, any_transport>(std::move(base), *this);
}

}  // namespace collectives
