// SPDX-License-Identifier: BSD-3-Clause
// Writes instructions, the same way for all protocols.
#pragma once

#include <collectives/lower/bound.hpp>
#include <collectives/plan/plan.hpp>

#include <cstddef>
#include <utility>

namespace collectives::inline v0::lowering {

using plans::destination;
using plans::instruction;
using plans::opcode;
using plans::store;

/// Adds instructions to a plan.
class plan_writer {
public:
    explicit plan_writer(plans::plan& to) : to_(to) {}

    static plans::place own(place p) { return {p.where, -1, 0, p.offset}; }

    void begin_round(int round) { round_ = round; }
    [[gnu::cold]] instruction& add(opcode what, std::size_t bytes = 0) {
        instruction i;
        i.what = what;
        i.round = round_;
        i.bytes = bytes;
        i.sources.first = i.sources.last = static_cast<int>(to_.sources.size());
        i.destinations.first = i.destinations.last = static_cast<int>(to_.destinations.size());
        to_.program.push_back(i);
        return to_.program.back();
    }
    /// Adds a source to the last instruction.
    [[gnu::cold]] void read(plans::place from) {
        to_.sources.push_back(from);
        ++to_.program.back().sources.last;
    }
    [[gnu::cold]] void write(plans::place to, store how = store::cached) {
        to_.destinations.push_back({to, how});
        ++to_.program.back().destinations.last;
        streams_ = streams_ || plans::may_stream(how);
    }
    /// Posts the message of a step as request `number`.
    [[gnu::cold]] void post(opcode what, bound_transfer const& t, int number) {
        auto& i = add(what, t.bytes);
        i.peer = t.peer;
        i.number = number;
        i.action = t.action;
        i.chunks = t.chunks;
    }
    /// Adds a copy, or the reduction of one source that `completes` a result.
    [[gnu::cold]] void copy(plans::place to, plans::place from, std::size_t bytes,
                            store how = store::cached, bool completes = false) {
        if (bytes == 0) { return; }
        add(completes ? opcode::reduce : opcode::copy, bytes).completes = completes;
        read(from);
        write(to, how);
    }
    [[gnu::cold]] void wait(rank_t peer, plans::point at) {
        auto& i = add(opcode::wait);
        i.peer = peer;
        i.at = at;
    }
    [[gnu::cold]] void publish(plans::point at) {
        auto& i = add(opcode::publish);
        i.at = at;
        i.fence = std::exchange(streams_, false);
    }
    /// Waits until all peers have passed `at` of the run `runs_back` runs ago.
    [[gnu::cold]] void wait_for_window(int runs_back, plans::point at) {
        for (rank_t r = 0; r < to_.size; ++r) {
            if (r == to_.rank) { continue; }
            wait(r, at);
            to_.program.back().runs_back = runs_back;
            to_.program.back().when = plans::condition::unless_all_came;
        }
    }
    void end() { to_.fences_at_end = streams_; }

private:
    plans::plan& to_;
    int round_ = 0;
    bool streams_ = false;  // since the last publish
};

}  // namespace collectives::lowering
