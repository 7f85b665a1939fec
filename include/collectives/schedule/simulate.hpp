// SPDX-License-Identifier: BSD-3-Clause
// When each step of all ranks begins and ends on a network with given prices: LogGP, by rounds.
//
// The model is LogGP (Alexandrov, Ionescu, Schauser, Scheiman, LogGP: Incorporating Long Messages
// into the LogP Model, SPAA 1995), as LogGOPSim runs it on schedules (see goal.hpp), with n bytes
// for its n - 1. A rank has a processor, a port for sending and a port for receiving. The three
// work at the same time, and each does one thing at a time.
//
//   - A rank enters its first round at 0, or as late as it is. It enters a round when it is done
//     with the one before.
//   - On entering a round, the processor hands over the round's sends, `overhead` each: first those
//     to the ranks that come next after its own, then on around. (A round is a set, in which order
//     means nothing; in this order not all send to the same rank first.) Each message then takes
//     the sending port for n x `byte`, and the port stays shut for `gap` after it. The first byte
//     arrives `latency` after it left, the others follow. No send waits for its receiver.
//   - When it has handed over its sends, the rank takes the messages of the round as their first
//     bytes arrive, one at a time. Each takes the receiving port for n x `byte`, then the processor
//     for `overhead`; after the bytes the port stays shut for that long, or for `gap`. (LogGP shuts
//     it for `gap` alone: then a message that comes later could make a rank end earlier.) A message
//     of a later round waits in the network.
//   - When all sends have left and all messages are in, the processor adds for `added` a byte: all
//     `recv_reduce`s of the round. (Earlier, it might change what a send still reads.) Then the
//     rank is done with the round.
//   - On a slow link latency and bytes take `factor` times as long, at both ports.
//
// So one message takes latency + 2 overhead + n x byte. With overhead = gap = 0, a schedule in
// which all ranks do as much in each round takes rounds x latency + critical.bytes x byte +
// critical.reduced x added, which is the cost model; no algorithm of the library takes longer. No
// price, lateness or factor that grows makes a rank end earlier.
#pragma once

#include <collectives/core/lean_list.hpp>
#include <collectives/schedule/cost.hpp>
#include <collectives/schedule/partners.hpp>
#include <collectives/schedule/schedule.hpp>
#include <collectives/schedule/timeline.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace collectives::inline v0 {

namespace detail {

/// Runs the rounds of all ranks, each as soon as the messages that it waits for are on the way.
/// What comes out does not depend on the order in which ranks are looked at.
class loggp_simulator {
public:
    constexpr loggp_simulator(std::span<schedule const> ranks, std::uint64_t bytes,
                              loggp const& network)
        : ranks_(ranks), bytes_(bytes), network_(network), partners_(ranks), states_(ranks.size()) {
        result_.first = partners_.first();
    }

    constexpr timeline run() {
        if (proof const& v = partners_.verdict(); !v.ok) {
            return {false, v.what, v.rank, v.round, {}, {}, {}, {}, 0};
        }
        result_.events.resize(index(result_.first.back()));
        for (auto& e : result_.events) { e.waited_for = not_yet; }
        for (rank_t r = 0; r < size(); ++r) {
            if (index(r) < network_.late.size()) { of(r).begin = network_.late[index(r)]; }
            enter(r);
        }
        // All receives have their sends and rounds ascend: so of the ranks that are not done, one
        // in the lowest round is ready.
        while (!ready_.empty()) {
            rank_t const r = ready_.back();
            ready_.pop_back();
            finish(r);
            enter(r);
        }
        trace_back();
        return std::move(result_);
    }

private:
    struct state {
        double begin = 0;        // when it enters the round that it is in
        int begun_by = -1;       // the event that it waited for
        std::size_t next = 0;    // the first step of that round
        std::size_t behind = 0;  // the first step after it
        int missing = 0;         // messages of the round that are not on the way
        double handed_over = 0;  // when the processor has handed over the sends
        int last_sent = -1, last_received = -1;
        double sending_open = 0, receiving_open = 0;  // when the ports take the next message
    };
    struct arrival {
        double time;
        int event, send;
    };

    static constexpr int not_yet = -2;  // what an event waits for that has no time yet

    static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
    constexpr rank_t size() const { return static_cast<rank_t>(ranks_.size()); }
    constexpr state& of(rank_t r) { return states_[index(r)]; }
    constexpr lean_list<step> const& steps(rank_t r) const { return ranks_[index(r)].steps; }
    constexpr timeline::event& event(int i) { return result_.events[index(i)]; }

    constexpr double factor(rank_t from, rank_t to) const {
        double result = 1;
        for (auto const& s : network_.slow) {
            if (s.from == from && s.to == to) { result *= s.factor; }
        }
        return result;
    }
    constexpr std::uint64_t bytes(rank_t r, step const& s) const {
        return bytes_of(s.chunks, ranks_[index(r)].chunks, bytes_);
    }

    /// Hands over the sends of the rank's next round.
    constexpr void enter(rank_t r) {
        auto& me = of(r);
        auto const& own = steps(r);
        if (me.next == own.size()) { return; }
        me.missing = 0;
        std::vector<std::size_t> sends;
        for (; me.behind < own.size() && own[me.behind].round == own[me.next].round; ++me.behind) {
            if (own[me.behind].what == verb::send) {
                sends.push_back(me.behind);
            } else if (event(partners_.of(partners_.number(r, me.behind))).waited_for == not_yet) {
                ++me.missing;
            }
        }
        auto const place = [&](std::size_t k) {
            return std::tuple((own[k].peer - r + size()) % size(), k);
        };
        std::sort(sends.begin(), sends.end(),
                  [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
        me.handed_over = me.begin;
        int before = me.begun_by;
        for (std::size_t const k : sends) {
            int const i = partners_.number(r, k);
            send(r, i, own[k], before);
            before = i;
        }
        if (me.missing == 0) { ready_.push_back(r); }
    }

    constexpr void send(rank_t r, int i, step const& s, int before) {
        auto& me = of(r);
        auto& e = event(i);
        e.begin = me.handed_over;
        me.handed_over += network_.overhead;
        bool const shut = me.sending_open > me.handed_over;
        e.waited_for = shut ? me.last_sent : before;
        e.moves = shut ? me.sending_open : me.handed_over;
        e.moved = e.moves + static_cast<double>(bytes(r, s)) * network_.byte * factor(r, s.peer);
        e.end = e.moved;
        me.sending_open = e.moved + network_.gap;
        me.last_sent = i;
        auto& peer = of(s.peer);
        bool const awaited = peer.next < peer.behind && steps(s.peer)[peer.next].round == s.round;
        if (awaited && --peer.missing == 0) { ready_.push_back(s.peer); }
    }

    /// Takes the messages of the round that the rank is in, and adds.
    constexpr void finish(rank_t r) {
        auto& me = of(r);
        auto const& own = steps(r);
        std::vector<arrival> arrivals;
        double over = me.begin;
        int last = me.begun_by;
        auto const end = [&](int i) {
            if (last < 0 || event(i).end >= over) { last = i; }
            over = std::max(over, event(i).end);
        };
        for (auto k = me.next; k < me.behind; ++k) {
            int const i = partners_.number(r, k);
            if (own[k].what == verb::send) {
                end(i);
            } else {
                int const from = partners_.of(i);
                double const on_the_way = network_.latency * factor(own[k].peer, r);
                arrivals.push_back({event(from).moves + on_the_way, i, from});
            }
        }
        std::sort(arrivals.begin(), arrivals.end(), [](auto const& a, auto const& b) {
            return std::tuple(a.time, a.event) < std::tuple(b.time, b.event);
        });
        std::uint64_t added = 0;
        for (arrival const& a : arrivals) {
            receive(r, a);
            end(a.event);
            step const& s = own[index(a.event - partners_.number(r, 0))];
            if (s.what == verb::recv_reduce) { added += bytes(r, s); }
        }
        over += static_cast<double>(added) * network_.added;
        for (auto k = me.next; k < me.behind; ++k) {
            if (own[k].what == verb::recv_reduce) { event(partners_.number(r, k)).end = over; }
        }
        me.begin = over;
        me.begun_by = last;
        me.next = me.behind;
    }

    constexpr void receive(rank_t r, arrival const& a) {
        auto& me = of(r);
        auto& e = event(a.event);
        bool const came = a.time >= me.handed_over;  // when the rank was waiting for it
        e.begin = came ? a.time : me.handed_over;
        e.waited_for = came ? a.send : me.handed_over > me.begin ? me.last_sent : me.begun_by;
        if (me.receiving_open > e.begin) {
            e.begin = me.receiving_open;
            e.waited_for = me.last_received;
        }
        e.moves = e.begin;
        auto const& sent = event(a.send);
        e.moved = e.moves + (sent.moved - sent.moves);
        e.end = e.moved + network_.overhead;
        me.receiving_open = e.moved + std::max(network_.overhead, network_.gap);
        me.last_received = a.event;
    }

    /// From the rank that ends last back to a rank's begin.
    constexpr void trace_back() {
        int last = -1;
        for (state const& s : states_) {
            if (result_.done.empty() || s.begin > result_.total) {
                result_.total = s.begin;
                last = s.begun_by;
            }
            result_.done.push_back(s.begin);
        }
        for (; last >= 0; last = event(last).waited_for) {
            event(last).critical = true;
            result_.path.push_back(last);
        }
        std::reverse(result_.path.begin(), result_.path.end());
    }

    std::span<schedule const> ranks_;
    std::uint64_t bytes_;
    loggp const& network_;
    partners partners_;
    std::vector<state> states_;
    std::vector<rank_t> ready_;
    timeline result_;
};

}  // namespace detail

/// When the steps of these schedules run; they are those of all ranks, in rank order, and belong
/// together. `bytes` is the vector, as in `cost_of`. Of schedules that `check` finds right this
/// succeeds; of others, `ok` may be false, and it ends all the same. O(S log S + R P) time
/// and O(S + P) memory for S steps in R rounds of P ranks.
constexpr timeline simulate(std::span<schedule const> ranks, std::uint64_t bytes,
                            loggp const& network) {
    return detail::loggp_simulator(ranks, bytes, network).run();
}

}  // namespace collectives
