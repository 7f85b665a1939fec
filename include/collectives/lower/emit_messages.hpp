// SPDX-License-Identifier: BSD-3-Clause
// Plans over messages: each round posts its sends and receives, tests them all, then reduces. A
// rank may copy its own input before the tests.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/lower/plan_writer.hpp>

#include <cstddef>

namespace collectives::inline v0::lowering {

class message_emitter {
public:
    message_emitter(plans::plan& to, bound_schedule const& from)
        : from_(from), write_(to), request_of_(from.receives.size()) {}

    [[gnu::cold]] void run() {
        for (auto const& r : from_.rounds) { emit(r); }
        copy_rest(false);
        write_.end();
    }

private:
    static constexpr std::size_t short_copy = 256 * 1024;

    /// Copies what the output lacks. In a single round without reductions a rank does so with its
    /// own input while its messages are under way. Only a rank without receives takes long for
    /// that: what comes may need its own processor to be moved.
    [[gnu::cold]] void copy_rest(bool meanwhile) {
        for (auto const& c : from_.epilogue) {
            auto const early = from_.rounds.size() == 1 && from_.reductions.empty() &&
                               !c.completes && c.from.where == memory::input &&
                               (c.bytes <= short_copy || from_.receives.empty());
            if (early != meanwhile) { continue; }
            write_.copy(write_.own(c.to), write_.own(c.from), c.bytes, store::cached, c.completes);
        }
    }
    [[gnu::cold]] void emit(bound_round const& r) {
        write_.begin_round(r.number);
        for (int c = r.gathers.first; c < r.gathers.last; ++c) {
            auto const& g = from_.copies[static_cast<std::size_t>(c)];
            write_.copy(write_.own(g.to), write_.own(g.from), g.bytes);
        }
        // Sends first. The request of a long send is then on its way before this rank allows the
        // same peer to send its data; otherwise the two transfers run one after the other.
        int requests = 0;
        for (int s = r.sends.first; s < r.sends.last; ++s) {
            auto const& t = from_.sends[static_cast<std::size_t>(s)];
            write_.post(opcode::send, t, requests++);
            write_.read(write_.own(t.at));
        }
        for (int i = r.receives.first; i < r.receives.last; ++i) {
            auto const& t = from_.receives[static_cast<std::size_t>(i)];
            request_of_[static_cast<std::size_t>(i)] = requests;
            write_.post(opcode::receive, t, requests++);
            if (!t.consumable) { write_.write(write_.own(t.at)); }
        }
        for (int f = r.reductions.first; f < r.reductions.last; ++f) { reduce(f, true); }
        copy_rest(true);
        for (int k = 0; k < requests; ++k) { write_.add(opcode::test).number = k; }
        for (int f = r.reductions.first; f < r.reductions.last; ++f) { reduce(f, false); }
    }
    bool comes_in_parts(bound_reduction const& f) const {
        for (int k = 0; k < f.sources; ++k) {
            auto const t = from_.sources[static_cast<std::size_t>(f.first_source + k)].transfer;
            if (t >= 0 && from_.receives[static_cast<std::size_t>(t)].consumable) { return true; }
        }
        return false;
    }
    /// A reduction that consumes its message as it comes is before the tests; other reductions are
    /// after them.
    [[gnu::cold]] void reduce(int index, bool as_it_comes) {
        auto const& f = from_.reductions[static_cast<std::size_t>(index)];
        if (f.bytes == 0 || comes_in_parts(f) != as_it_comes) { return; }
        write_.add(opcode::reduce, f.bytes).completes = f.completes;
        for (int k = 0; k < f.sources; ++k) {
            auto const& s = from_.sources[static_cast<std::size_t>(f.first_source + k)];
            auto const t = static_cast<std::size_t>(s.transfer);
            if (s.transfer < 0) {
                write_.read(write_.own(f.own));
            } else if (as_it_comes) {
                write_.read({memory::message, -1, request_of_[t], s.offset});
            } else {
                auto const at = from_.receives[t].at;
                write_.read(write_.own({at.where, at.offset + s.offset}));
            }
        }
        write_.write(write_.own(f.to));
    }

    bound_schedule const& from_;
    plan_writer write_;
    lean_vector<int> request_of_;  // of each receive
};

}  // namespace collectives::lowering
