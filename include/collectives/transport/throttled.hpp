// SPDX-License-Identifier: BSD-3-Clause
// An adaptor that gives each rank a link of a stated rate, so that a machine without a network
// shows what a network makes of an algorithm.
#pragma once

#include <collectives/transport/adapted.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

namespace collectives {

/// Full duplex: what a rank sends leaves one message after the other at the link's rate, and what
/// it receives comes in likewise, at the same time. A message is through once its last byte is: it
/// passes from link to link without being stored (cut-through). `latency` is added to each message.
template <transport Base>
class throttled_transport : public adapted<Base> {
    using clock = std::chrono::steady_clock;

public:
    throttled_transport(std::shared_ptr<Base> base, double bytes_per_second,
                        std::chrono::nanoseconds latency)
        : adapted<Base>(std::move(base)), rate_(bytes_per_second), latency_(latency) {}

    class request : public Base::request {
        friend class throttled_transport;
        enum class state { idle, held, below, arrived };
        state at_ = state::idle;
        bool sends_ = false;
        outgoing out_{};
        std::size_t bytes_ = 0;
        clock::time_point due_{};
    };

    void isend(outgoing const& out, request& r) {
        auto const now = clock::now();
        out_free_ = std::max(now, out_free_) + time_of(out.bytes);
        r.sends_ = true;
        r.out_ = out;
        r.at_ = request::state::held;
        r.due_ = out_free_ + latency_;
        held_.push_back(&r);
    }
    void irecv(incoming const& in, request& r) {
        r.sends_ = false;
        r.bytes_ = in.bytes;
        r.at_ = request::state::below;
        this->base().irecv(in, r);
        awaited_.push_back(&r);
    }
    bool test(request& r) {
        if (r.at_ == request::state::held) { return false; }
        if (r.sends_) { return this->base().test(r); }
        if (r.at_ == request::state::below) { arrive(); }
        return r.at_ == request::state::arrived && clock::now() >= r.due_;
    }
    void cancel(request& r) {
        if (r.at_ == request::state::held) {
            std::erase(held_, &r);
        } else {
            std::erase(awaited_, &r);
            this->base().cancel(r);
        }
    }
    bool poll() {
        bool moved = false;
        while (!held_.empty() && clock::now() >= held_.front()->due_) {
            auto& r = *held_.front();
            held_.pop_front();
            r.at_ = request::state::below;
            this->base().isend(r.out_, r);
            moved = true;
        }
        moved = this->base().poll() || moved;
        arrive();
        return moved;
    }
    template <class Ready>
    void doze(Ready&& ready, std::chrono::nanoseconds time) {
        auto const now = clock::now();
        auto until = now + time;
        if (!held_.empty()) { until = std::min(until, held_.front()->due_); }
        if (next_arrival_ > now) { until = std::min(until, next_arrival_); }
        auto const left = std::chrono::duration_cast<std::chrono::nanoseconds>(until - now);
        if (left.count() > 0) { this->base().doze(std::forward<Ready>(ready), left); }
    }

private:
    /// What has come passes the link in the order in which it came, whatever the order in which
    /// the receives are tested.
    void arrive() {
        std::erase_if(awaited_, [this](request* r) {
            if (!this->base().test(*r)) { return false; }
            in_free_ = std::max(clock::now(), in_free_ + time_of(r->bytes_));
            r->due_ = next_arrival_ = in_free_;
            r->at_ = request::state::arrived;
            return true;
        });
    }

    clock::duration time_of(std::size_t bytes) const {
        return std::chrono::duration_cast<clock::duration>(
            std::chrono::duration<double>(static_cast<double>(bytes) / rate_));
    }

    double rate_;
    std::chrono::nanoseconds latency_;
    clock::time_point out_free_{}, in_free_{}, next_arrival_{};
    std::deque<request*> held_;     // to be sent, in order
    std::deque<request*> awaited_;  // receives that nothing has come for
};

/// comm.with(throttled{.bytes_per_second = 25e6}): 200 Mbit/s for each rank.
struct throttled {
    double bytes_per_second = 125e6;
    std::chrono::nanoseconds latency{0};

    template <transport Base>
    auto operator()(std::shared_ptr<Base> base) const {
        return std::make_shared<throttled_transport<Base>>(std::move(base), bytes_per_second,
                                                           latency);
    }
};

}  // namespace collectives
