// SPDX-License-Identifier: BSD-3-Clause
// Ranks on several hosts: two of one host exchange messages over one transport, others over
// another.
#pragma once

#include <collectives/transport/adapted.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace collectives {

/// Models `transport` with the ranks and boards of `Between`, which reaches all of them. `Inside`
/// has the ranks of this rank's host, numbered in the same order; it is also asked whether they
/// live. Not peer-addressable: all data travels as messages.
template <transport Inside, transport Between>
class bridged_transport : public adapted<Between> {
public:
    /// What `Between` cannot hand over piece by piece lands in the request first.
    static constexpr bool can_consume = true;

    class request {
    public:
        bool wrong() const { return here_ ? inside_.wrong() : between_.wrong(); }
        std::size_t actual_bytes() const {
            return here_ ? inside_.actual_bytes() : between_.actual_bytes();
        }
        std::uint64_t actual_check() const {
            return here_ ? inside_.actual_check() : between_.actual_check();
        }

    private:
        friend class bridged_transport;

        bool here_ = false;  // the peer is on this host
        typename Inside::request inside_;
        typename Between::request between_;
        consumer take_{};  // waits for what lands here
        std::unique_ptr<std::byte[]> landing_;
        std::size_t bytes_ = 0, capacity_ = 0;
    };

    /// `host_of` holds, for each rank, a number of its host.
    bridged_transport(std::shared_ptr<Between> between, std::shared_ptr<Inside> inside,
                      std::vector<int> host_of)
        : adapted<Between>(std::move(between)),
          inside_(std::move(inside)),
          host_of_(std::move(host_of)) {
        std::vector<rank_t> next(host_of_.size());  // of each host
        std::vector<int> known;
        for (auto const h : host_of_) {
            auto const at = std::find(known.begin(), known.end(), h) - known.begin();
            if (static_cast<std::size_t>(at) == known.size()) { known.push_back(h); }
            local_.push_back(next[static_cast<std::size_t>(at)]++);
        }
    }

    int host(rank_t r) const { return host_of_[static_cast<std::size_t>(r)]; }

    void isend(outgoing out, request& r) {
        r.here_ = is_here(out.to);
        if (!r.here_) { return this->base().isend(out, r.between_); }
        out.to = local(out.to);
        inside_->isend(out, r.inside_);
    }
    void irecv(incoming in, request& r) {
        r.here_ = is_here(in.from);
        r.take_ = {};
        if (r.here_) {
            in.from = local(in.from);
            return take_or_land(*inside_, in, r, r.inside_);
        }
        take_or_land(this->base(), in, r, r.between_);
    }
    bool test(request& r) {
        if (!(r.here_ ? inside_->test(r.inside_) : this->base().test(r.between_))) { return false; }
        nap_ = shortest_nap;
        if (r.take_ && !r.wrong()) {  // else more of it may still come
            auto const take = std::exchange(r.take_, {});
            take.take(take.context, 0, r.landing_.get(), r.bytes_);
        }
        return true;
    }
    void cancel(request& r) {
        if (r.here_) { return inside_->cancel(r.inside_); }
        this->base().cancel(r.between_);
        if (std::exchange(r.take_, {})) {  // it may still be written to: it stays for ever
            static_cast<void>(r.landing_.release());
            r.capacity_ = 0;
        }
    }

    bool poll() {
        auto const moved = inside_->poll();
        return this->base().poll() || moved;
    }
    /// Peers of this host wake it. Others cannot: so it sleeps a little, longer each time in a row.
    template <class Ready>
    void doze(Ready&& ready, std::chrono::nanoseconds time) {
        bool woken = false;
        this->base().doze([&] { return woken = ready(); }, std::chrono::nanoseconds(0));
        if (woken) {
            nap_ = shortest_nap;
            return;
        }
        inside_->doze(ready, std::min(nap_, time));
        nap_ = std::min(2 * nap_, longest_nap);
    }

    /// Of the peers of this host only deaths count: who ends by itself may have done all that is
    /// asked of it, and has not told so in words.
    std::optional<departure> gone(rank_t r) const {
        if (is_here(r)) {
            if (auto const how = inside_->gone(local(r)); how && how->died) { return how; }
        }
        return this->base().gone(r);
    }
    bool suspended(rank_t r) const
        requires requires(Inside const& t) { t.suspended(r); }
    {
        return is_here(r) && inside_->suspended(local(r));
    }
    void note_trouble() {
        inside_->note_trouble();
        this->base().note_trouble();
    }

private:
    static constexpr std::chrono::nanoseconds shortest_nap = std::chrono::microseconds(20);
    static constexpr std::chrono::nanoseconds longest_nap = std::chrono::milliseconds(1);

    bool is_here(rank_t r) const { return host(r) == host(this->rank()); }
    rank_t local(rank_t r) const { return local_[static_cast<std::size_t>(r)]; }

    template <class Transport>
    static void take_or_land(Transport& t, incoming& in, request& r,
                             typename Transport::request& below) {
        if constexpr (!Transport::can_consume) {
            r.bytes_ = in.bytes;
            if ((r.take_ = std::exchange(in.take, {}))) {
                if (r.capacity_ < in.bytes) {
                    r.landing_ = std::make_unique_for_overwrite<std::byte[]>(in.bytes);
                    r.capacity_ = in.bytes;
                }
                in.data = r.landing_.get();
            }
        }
        t.irecv(in, below);
    }

    std::shared_ptr<Inside> inside_;
    std::vector<int> host_of_;
    std::vector<rank_t> local_;  // each rank's number among those of its host
    std::chrono::nanoseconds nap_ = shortest_nap;
};

}  // namespace collectives
