// SPDX-License-Identifier: BSD-3-Clause
// Plans for small inputs, of one round. Each rank copies its whole input to its cell, or beside it,
// and reads the inputs of the ranks that it needs. An input beside a cell is at the start of the
// scratch.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/lower/plan_writer.hpp>

#include <cstddef>

namespace collectives::inline v0::lowering {

class cell_emitter {
public:
    /// `depth`: the number of successive calls that have cells of their own.
    cell_emitter(plans::plan& to, bound_schedule const& from, std::size_t input_bytes, int depth)
        : to_(to),
          from_(from),
          write_(to),
          sent_(from.sends.empty() ? 0 : input_bytes),
          depth_(depth),
          shown_(to.shown.how == protocol::cells_beside ? memory::scratch : memory::cell) {}

    [[gnu::cold]] void run() {
        to_.scratch += bytes_beside();
        write_.wait_for_window(depth_ - 1, plans::come(0));
        write_.copy(write_.own({shown_, 0}), write_.own({memory::input, 0}), sent_,
                    store::measured);
        write_.publish(plans::come(0));
        for (auto const& s : from_.sends) {
            to_.offers.push_back({s.peer, s.round, write_.own({shown_, s.at.offset}), s.bytes});
        }
        lean_vector<int> next(static_cast<std::size_t>(to_.size));
        for (auto const& t : from_.receives) {
            write_.wait(t.peer, plans::come(0));
            offer_of_.push_back(next[static_cast<std::size_t>(t.peer)]++);
        }
        for (std::size_t i = 0; i < from_.receives.size(); ++i) {
            auto const& t = from_.receives[i];
            if (t.action == verb::recv_copy) { write_.copy(own(t.at), offered(i), t.bytes); }
        }
        for (auto const& f : from_.reductions) { reduce(f); }
        for (auto const& c : from_.epilogue) {
            write_.copy(own(c.to), own(c.from), c.bytes, store::cached, c.completes);
        }
        write_.end();
    }

private:
    std::size_t bytes_beside() const {
        return shown_ == memory::scratch ? plans::whole_lines(sent_) : 0;
    }
    plans::place own(place p) const {
        if (p.where == memory::scratch) { p.offset += bytes_beside(); }
        return write_.own(p);
    }
    plans::place offered(std::size_t receive, std::size_t offset = 0) const {
        return {memory::offer, from_.receives[receive].peer, offer_of_[receive], offset};
    }
    [[gnu::cold]] void reduce(bound_reduction const& f) {
        if (f.bytes == 0) { return; }
        write_.add(opcode::reduce, f.bytes).completes = f.completes;
        for (int k = 0; k < f.sources; ++k) {
            auto const& s = from_.sources[static_cast<std::size_t>(f.first_source + k)];
            write_.read(s.transfer < 0 ? own(f.own)
                                       : offered(static_cast<std::size_t>(s.transfer), s.offset));
        }
        write_.write(own(f.to));
    }

    plans::plan& to_;
    bound_schedule const& from_;
    plan_writer write_;
    std::size_t sent_;  // bytes of the input that peers read
    int depth_;
    memory shown_;
    lean_vector<int> offer_of_;  // of each receive
};

}  // namespace collectives::lowering
