// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 keeps the store. It has no thread: the store works while rank 0 is in a call.
#pragma once

#include <collectives/launch/bootstrap/store/pending_clients.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace collectives::inline v0::bootstraps {

/// Models `bootstrap`. It sends the missing ranks to all at the earliest deadline of all.
class store_server {
public:
    /// Admits the other ranks at `listener`, a socket that listens, and closes it once all are
    /// there. A job of one rank needs no listener. Throws like all_gather.
    store_server(member me, descriptor listener, steady::time_point until)
        : me_(std::move(me)), clients_(static_cast<std::size_t>(me_.size)), until_(until) {
        if (me_.size > 1) { pending_.emplace(std::move(listener), me_.secret.given()); }
        while (!missing_ranks().empty()) { step(); }
        pending_.reset();
        say_to_all(frame(word::met, 0));
        send_all(until_);
    }

    int rank() const { return 0; }
    int size() const { return me_.size; }

    std::vector<bootstrap_bytes> all_gather(std::span<std::byte const> mine,
                                            steady::time_point until) {
        detail::require_bootstrap_bytes(0, mine.size());
        return unless_broken_(0, [&] {
            until_ = until;
            parts_.assign(clients_.size(), std::nullopt);
            parts_.front().emplace(mine.begin(), mine.end());
            for (auto& g : clients_) {
                if (g) { g->connection().expect(head::bytes); }
            }
            while (!missing_ranks().empty()) { step(); }
            std::vector<bootstrap_bytes> result;
            for (auto& p : parts_) { result.push_back(std::move(*p)); }
            say_to_all(frame(word::gathered, 0, joined(result)));
            send_all(until_);
            return result;
        });
    }

private:
    /// The ranks that have not come yet: first to the meeting, then to the call.
    std::vector<int> missing_ranks() const {
        std::vector<int> ranks;
        for (int r = 1; r < size(); ++r) {
            auto const i = static_cast<std::size_t>(r);
            if (pending_ ? !clients_[i] : !parts_[i]) { ranks.push_back(r); }
        }
        return ranks;
    }

    /// Waits for an event, and handles it.
    void step() {
        if (steady::now() >= until_) { throw_timeout(missing_ranks()); }
        watched_.clear();
        for (auto& g : clients_) {
            // A negative descriptor is passed over.
            watched_.push_back(g ? pollfd{g->connection().get(), g->connection().events(), 0}
                                 : pollfd{-1, 0, 0});
        }
        auto const known = watched_.size();
        if (pending_) { pending_->watch(watched_); }
        auto const limit = pending_ ? std::min(until_, pending_->next_limit()) : until_;
        detail::poll_once(watched_.data(), watched_.size(), limit);
        for (std::size_t r = 1; r < known; ++r) {
            if (watched_[r].revents != 0) { handle(r, watched_[r].revents); }
        }
        if (!pending_) { return; }
        for (auto& v : pending_->receive(watched_.data() + known, me_)) { admit(std::move(v)); }
    }

    /// Admits or refuses a connection that has proved that it knows the secret.
    void admit(client_connection&& who) {
        auto const said = *who.said();
        auto const refuse = [&](refusal why) {
            writer size;
            size.put(static_cast<std::uint32_t>(me_.size));
            who.connection().say(
                frame(word::refused, static_cast<std::uint32_t>(why), size.bytes()));
            who.connection().speak();
        };
        if (said.job != digest_of(me_.job)) { return refuse(refusal::job); }
        if (said.size != clients_.size()) { return refuse(refusal::size); }
        if (said.rank >= said.size) { return refuse(refusal::rank); }
        if (said.rank == 0 || clients_[said.rank]) { return refuse(refusal::taken); }
        until_ = std::min(until_, end_of(said.patience));
        who.connection().say(frame(word::admitted, 0));
        who.connection().speak();
        clients_[said.rank].emplace(std::move(who));
    }

    /// Handles the events of a rank: it has sent something, or has gone.
    void handle(std::size_t r, int events) {
        auto& from = clients_[r]->connection();
        if (!from.move(events)) { throw_loss(static_cast<int>(r)); }
        if (pending_ || parts_[r] || from.expects()) { return; }
        auto const first = head::read(from.received(), most_bootstrap_bytes);
        if (!first || first->what != word::gather) { throw_loss(static_cast<int>(r)); }
        if (from.received().size() == head::bytes && first->length > 0) {
            from.expect_more(first->length);
            return handle(r, 0);
        }
        until_ = std::min(until_, end_of(first->number));
        parts_[r].emplace(from.received().begin() + head::bytes, from.received().end());
    }

    void say_to_all(bytes_view what) {
        for (auto& g : clients_) {
            if (g) { g->connection().say(what); }
        }
    }
    /// Waits until all that was queued is sent. It ignores a rank that has gone meanwhile: the rank
    /// had its bytes, or the next call misses it.
    void send_all(steady::time_point until) {
        for (;;) {
            watched_.clear();
            std::vector<int> late;
            for (int r = 1; r < size(); ++r) {
                auto& g = clients_[static_cast<std::size_t>(r)];
                if (!g || !g->connection().speak() || !g->connection().has_more_to_say()) {
                    continue;
                }
                watched_.push_back({g->connection().get(), POLLOUT, 0});
                late.push_back(r);
            }
            if (late.empty()) { return; }
            if (steady::now() >= until) { throw detail::bootstrap_timeout(0, std::move(late)); }
            detail::poll_once(watched_.data(), watched_.size(), until);
        }
    }

    [[noreturn]] void throw_timeout(std::vector<int> missing) {
        give_up(frame(word::missing, 0, written(missing)));
        throw detail::bootstrap_timeout(0, std::move(missing));
    }
    [[noreturn]] void throw_loss(int r) {
        clients_[static_cast<std::size_t>(r)].reset();
        give_up(frame(word::lost, static_cast<std::uint32_t>(r)));
        throw detail::bootstrap_loss(0, r);
    }
    /// Sends the reason to the other ranks, as far as they take it quickly, and drops them.
    void give_up(bytes_view why) {
        say_to_all(why);
        try {
            send_all(steady::now() + std::chrono::milliseconds(100));
        } catch (timeout_error const&) {}
        pending_.reset();
        for (auto& g : clients_) { g.reset(); }
    }

    member me_;
    std::vector<std::optional<client_connection>> clients_;  // by rank; none of its own
    steady::time_point until_;                               // the earliest deadline of this call
    std::optional<pending_clients> pending_;                 // while ranks are missing
    std::vector<std::optional<bootstrap_bytes>> parts_;
    std::vector<pollfd> watched_;
    detail::until_broken unless_broken_;
};

static_assert(bootstrap<store_server>);

}  // namespace collectives::bootstraps
