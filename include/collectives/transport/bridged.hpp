// SPDX-License-Identifier: BSD-3-Clause
// Ranks on several hosts: two of one host exchange messages over one transport, others over
// another.
#pragma once

#include <collectives/core/growing_nap.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/transport/adapted.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace collectives::inline v0 {

/// Has the ranks and boards of `between`, which reaches all of them. `inside` has the ranks of this
/// rank's host, in the same order, and also says whether they live. Not peer-addressable: all data
/// travels as messages.
class bridged_transport final : public adapted {
    class request final : public any_request {
    public:
        request(owned<any_request> inside, owned<any_request> between)
            : inside_(std::move(inside)), between_(std::move(between)) {}

        bool wrong() const override { return used().wrong(); }
        std::size_t actual_bytes() const override { return used().actual_bytes(); }
        std::uint64_t actual_check() const override { return used().actual_check(); }
        bool came_cut() const override { return used().came_cut(); }

    private:
        friend class bridged_transport;

        any_request& used() const { return here_ ? *inside_ : *between_; }

        bool here_ = false;  // the peer is on this host
        owned<any_request> inside_, between_;
        consumer take_{};  // waits for what lands here
        std::unique_ptr<std::byte[]> landing_;
        std::size_t bytes_ = 0, capacity_ = 0;
    };
    static request& of(any_request& r) { return static_cast<request&>(r); }

public:
    /// `host_of` holds, for each rank, a number of its host: -1 for one that is no
    /// rank of the communicator.
    bridged_transport(shared_pointer<any_transport> between, shared_pointer<any_transport> inside,
                      lean_vector<int> host_of)
        : adapted(std::move(between)), inside_(std::move(inside)), host_of_(std::move(host_of)) {
        for (std::size_t r = 0; r < host_of_.size(); ++r) {
            auto const before = host_of_.begin() + static_cast<std::ptrdiff_t>(r);
            local_.push_back(
                static_cast<rank_t>(std::count(host_of_.begin(), before, host_of_[r])));
        }
    }
    bool can_renew() const override { return base().can_renew() && inside_->can_renew(); }
    /// Both transports are renewed: that of this host by the survivors that are here.
    renewed renew(any_board& broken, loss const& of) override {
        auto result = base().renew(broken, of);
        lean_vector<int> hosts(result.same_ranks ? host_of_.size() : 0, -1);
        loss here{of.context, {}, of.until, of.lock, true};
        for (auto const r : of.survivors) {
            if (is_here(r)) { here.survivors.push_back(local(r)); }
            if (result.same_ranks) {
                hosts[static_cast<std::size_t>(r)] = host(r);
            } else {
                hosts.push_back(host(r));
            }
        }
        if (result.same_ranks) { std::sort(here.survivors.begin(), here.survivors.end()); }
        auto const inner_board = inside_->first_board();
        auto inner = inside_->renew(*inner_board, here).carrier;
        if (!result.carrier) { result.carrier = shared_base(); }
        result.carrier = make_shared_object<bridged_transport>(std::move(result.carrier),
                                                               std::move(inner), std::move(hosts));
        return result;
    }
    void use_lock(shared_pointer<progress_lock> of) override {
        inside_->use_lock(of);
        adapted::use_lock(std::move(of));
    }

    owned<any_request> make_request() override {
        return make_owned<request>(inside_->make_request(), base().make_request());
    }
    /// What `between` cannot hand over part by part lands in the request first.
    bool can_consume() const override { return true; }
    int host(rank_t r) const override { return host_of_[static_cast<std::size_t>(r)]; }

    void isend(outgoing const& out, any_request& any) override {
        auto& r = of(any);
        r.here_ = is_here(out.to);
        if (!r.here_) { return base().isend(out, r.used()); }
        auto local_out = out;
        local_out.to = local(out.to);
        inside_->isend(local_out, r.used());
    }
    void irecv(incoming const& in, any_request& any) override {
        auto& r = of(any);
        auto below = in;
        r.here_ = is_here(in.from);
        r.take_ = {};
        if (r.here_) { below.from = local(in.from); }
        auto& way = r.here_ ? *inside_ : base();
        if (!way.can_consume() && in.take) { land(below, r); }
        way.irecv(below, r.used());
    }
    bool test(any_request& any) override {
        auto& r = of(any);
        if (!(r.here_ ? inside_->test(r.used()) : base().test(r.used()))) { return false; }
        nap_.reset();
        if (r.take_ && !r.wrong()) {  // else more of it may still come
            auto const take = std::exchange(r.take_, {});
            take.take(take.context, 0, r.landing_.get(), r.bytes_);
        }
        return true;
    }
    void cancel(any_request& any) override {
        auto& r = of(any);
        if (r.here_) { return inside_->cancel(r.used()); }
        base().cancel(r.used());
        if (std::exchange(r.take_, {})) {  // it may still be written to: it stays for ever
            static_cast<void>(r.landing_.release());
            r.capacity_ = 0;
        }
    }

    std::optional<std::size_t> probe(rank_t from, std::uint64_t tag) override {
        return is_here(from) ? inside_->probe(local(from), tag) : base().probe(from, tag);
    }
    bool poll() override {
        auto const moved = inside_->poll();
        return base().poll() || moved;
    }
    /// Peers of this host wake it. Others cannot: so it sleeps a little, longer each time in a row.
    void doze(condition ready, std::chrono::nanoseconds time) override {
        bool woken = false;
        base().doze([&] { return woken = ready(); }, std::chrono::nanoseconds(0));
        if (woken) {
            nap_.reset();
            return;
        }
        inside_->doze(ready, std::min(nap_.next(), time));
    }

    /// Of peers on this host only a death counts. A peer that ended by itself may have done its
    /// part without having sent its control message.
    std::optional<peer_exit> gone(rank_t r) const override {
        if (is_here(r)) {
            if (auto const how = inside_->gone(local(r)); how && how->died) { return how; }
        }
        return base().gone(r);
    }
    bool suspended(rank_t r) const override { return is_here(r) && inside_->suspended(local(r)); }
    void note_trouble() override {
        inside_->note_trouble();
        base().note_trouble();
    }

private:
    bool is_here(rank_t r) const { return host(r) == host(rank()); }
    rank_t local(rank_t r) const { return local_[static_cast<std::size_t>(r)]; }

    static void land(incoming& in, request& r) {
        r.bytes_ = in.bytes;
        r.take_ = std::exchange(in.take, {});
        if (r.capacity_ < in.bytes) {
            r.landing_ = std::make_unique_for_overwrite<std::byte[]>(in.bytes);
            r.capacity_ = in.bytes;
        }
        in.data = r.landing_.get();
    }

    shared_pointer<any_transport> inside_;
    lean_vector<int> host_of_;
    lean_vector<rank_t> local_;  // each rank's number among those of its host
    detail::growing_nap nap_;
};

}  // namespace collectives
