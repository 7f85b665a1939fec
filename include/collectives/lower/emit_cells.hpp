// SPDX-License-Identifier: BSD-3-Clause
// Plans of one round for small inputs: each rank copies its whole input to its cell, or beside it,
// and reads those of the ranks that it needs.
#pragma once

#include <collectives/lower/emit.hpp>

#include <cstddef>
#include <vector>

namespace collectives::lowering {

class cell_emitter {
public:
    /// `depth`: how many such calls in a row have cells of their own.
    cell_emitter(plans::plan& to, bound_schedule const& from, std::size_t input_bytes, int depth)
        : to_(to), from_(from), write_(to), input_bytes_(input_bytes), depth_(depth) {}

    void run() {
        auto const beside = to_.shown.how == protocol::cells_beside;
        auto const shown = beside ? place{memory::scratch, to_.scratch} : place{memory::cell, 0};
        auto const sent = from_.sends.empty() ? 0 : input_bytes_;
        if (beside) { to_.scratch += sent; }
        write_.wait_for_window(depth_ - 1, plans::come(0));
        write_.copy(write_.own(shown), write_.own({memory::input, 0}), sent, store::measured);
        write_.publish(plans::come(0));
        for (auto const& s : from_.sends) {
            auto const at = place{shown.where, shown.offset + s.at.offset};
            to_.offers.push_back({s.peer, s.round, write_.own(at), s.bytes});
        }
        std::vector<int> next(static_cast<std::size_t>(to_.size));
        for (auto const& t : from_.receives) {
            write_.wait(t.peer, plans::come(0));
            offer_of_.push_back(next[static_cast<std::size_t>(t.peer)]++);
        }
        for (std::size_t i = 0; i < from_.receives.size(); ++i) {
            auto const& t = from_.receives[i];
            if (t.action == verb::recv_copy) { write_.copy(write_.own(t.at), offered(i), t.bytes); }
        }
        for (auto const& f : from_.folds) { reduce(f); }
        for (auto const& c : from_.epilogue) {
            write_.copy(write_.own(c.to), write_.own(c.from), c.bytes);
        }
        write_.end();
    }

private:
    plans::place offered(std::size_t receive, std::size_t offset = 0) const {
        return {memory::offer, from_.receives[receive].peer, offer_of_[receive], offset};
    }
    void reduce(bound_fold const& f) {
        if (f.bytes == 0) { return; }
        write_.add(opcode::reduce, f.bytes).completes = f.completes;
        for (int k = 0; k < f.sources; ++k) {
            auto const& s = from_.sources[static_cast<std::size_t>(f.first_source + k)];
            write_.read(s.transfer < 0 ? write_.own(f.own)
                                       : offered(static_cast<std::size_t>(s.transfer), s.offset));
        }
        write_.write(write_.own(f.to));
    }

    plans::plan& to_;
    bound_schedule const& from_;
    plan_writer write_;
    std::size_t input_bytes_;
    int depth_;
    std::vector<int> offer_of_;  // of each receive
};

}  // namespace collectives::lowering
