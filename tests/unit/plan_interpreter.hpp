// SPDX-License-Identifier: BSD-3-Clause
// The reference interpreter: carries out the plans of all ranks on symbols, in a random order.
#pragma once

#include <unit/message_queue.hpp>
#include <unit/symbolic_memory.hpp>

#include <collectives/plan/expressions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace plan_cases {

/// One interpretation of a history whose calls do not overlap. `run` throws wrong_plan.
class plan_interpreter {
public:
    plan_interpreter(pl::planned_history const& what, std::mt19937& random)
        : what_(what),
          random_(random),
          plans_(resolved(what)),
          memory_(what, plans_),
          ranks_(what.calls.front().buffers.size()) {}

    void run() {
        for (;;) {
            auto const first = random_() % ranks_.size();
            auto moved = false, ended = true;
            for (std::size_t k = 0; k < ranks_.size() && !moved; ++k) {
                moved = move(static_cast<int>((first + k) % ranks_.size()));
            }
            for (auto const& r : ranks_) { ended = ended && r.call == calls(); }
            if (ended) { return; }
            if (!moved) { throw wrong_plan("all ranks wait"); }
        }
    }

private:
    struct active_run {
        int run = 0;
        bool begun = false;
        std::size_t next = 0, element = 0;                     // instruction, and element of that
        std::vector<std::pair<message_queue::end, int>> open;  // what is posted, and its request
    };
    struct rank_state {
        int call = -1, segment = 0;  // -1: before the first call
        int first_run = 0;
        std::vector<active_run> active;
        int begun[3] = {0, 0, 0};     // number of the last run, by back end
        std::map<int, bool> left[3];  // numbers
    };

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    int calls() const { return static_cast<int>(what_.calls.size()); }
    pl::run_of_history const& of(int run) const { return memory_.runs()[index(run)]; }
    pl::plan const& plan(int run, int rank) const { return plans_[index(run)][index(rank)]; }

    /// One thing that this rank can do now; false if there is none.
    bool move(int rank) {
        auto& me = ranks_[index(rank)];
        if (me.call == calls()) { return false; }
        if (me.call < 0) { return enter(rank, 0); }
        auto const segments = static_cast<int>(what_.calls[index(me.call)].runs.size());
        if (me.segment < segments && static_cast<int>(me.active.size()) < pl::runs_at_once) {
            me.active.push_back({me.first_run + me.segment++, false, 0, 0, {}});
        }
        if (me.active.empty()) {
            leave(rank);
            return enter(rank, me.call + 1);
        }
        auto const first = random_() % me.active.size();
        for (std::size_t k = 0; k < me.active.size(); ++k) {
            auto const i = (first + k) % me.active.size();
            if (random_() % 2 != 0 && carry(me.active[i], rank)) { return true; }
            if (advance(me.active[i], rank)) {
                if (me.active[i].next > plan(me.active[i].run, rank).program.size()) {
                    me.active.erase(me.active.begin() + static_cast<std::ptrdiff_t>(i));
                }
                return true;
            }
            if (carry(me.active[i], rank)) { return true; }
        }
        return false;
    }
    bool enter(int rank, int call) {
        auto& me = ranks_[index(rank)];
        me.first_run += me.call < 0 ? 0 : me.segment;
        me.call = call;
        me.segment = 0;
        if (call == calls()) { return true; }
        memory_.clear_buffers(call, rank);
        for (auto const& r : what_.calls[index(call)].runs) {
            for (auto const& c : r.wanted.inputs[index(rank)]) {
                for (std::size_t k = 0; k < c.bytes / what_.element; ++k) {
                    auto const at = c.offset / what_.element + k;
                    memory_.user(call, rank, false, at) = values_.contribution(call, rank, at);
                }
            }
        }
        return true;
    }
    void leave(int rank) {
        auto const call = ranks_[index(rank)].call;
        for (auto const& r : what_.calls[index(call)].runs) {
            for (auto const& c : r.wanted.outputs[index(rank)]) {
                for (std::size_t k = 0; k < c.bytes / what_.element; ++k) {
                    auto const is = memory_.user(call, rank, true, c.offset / what_.element + k);
                    if (is != expected(r.wanted, call, c.value, k)) {
                        throw wrong_plan("a result is wrong");
                    }
                }
            }
        }
        memory_.clear_buffers(call, rank);
    }
    int expected(pl::promise const& w, int call, int value, std::size_t element) {
        auto const& v = w.values[index(value)];
        std::vector<int> operands;
        for (auto const o : v.operands) { operands.push_back(expected(w, call, o, element)); }
        if (!operands.empty()) { return values_.sum(operands, v.completes); }
        for (auto const& c : w.inputs[index(v.rank)]) {
            if (c.chunk == v.chunk) {
                return values_.contribution(call, v.rank, c.offset / what_.element + element);
            }
        }
        return symbolic_memory::nothing;
    }

    /// The next step of a run, one element at a time; behind its last instruction, its end.
    bool advance(active_run& a, int rank) {
        auto& me = ranks_[index(rank)];
        auto const& r = of(a.run);
        auto const& p = plan(a.run, rank);
        auto const by = static_cast<int>(r.by);
        auto const lag = r.by == pl::backend::cells ? 1 : pl::runs_at_once;
        if (!a.begun && r.by != pl::backend::messages) {
            if (r.number != me.begun[by] + 1) { return false; }
            if (r.number > lag && !me.left[by][r.number - lag]) { return false; }
        }
        auto const ended = a.next == p.program.size();
        auto const window = !ended && p.program[a.next].when == pl::condition::unless_all_came;
        if (!a.begun && !window) {
            memory_.begin(a.run, rank);
            me.begun[by] = r.number;
            return a.begun = true;
        }
        if (ended) {
            memory_.end(a.run, rank);
            if (r.by != pl::backend::messages) { me.left[by][r.number] = true; }
            ++a.next;
            return true;
        }
        return step(a, p.program[a.next], rank);
    }
    bool step(active_run& a, pl::instruction const& i, int rank) {
        auto const& r = of(a.run);
        switch (i.what) {
            case pl::opcode::wait: {
                auto const skipped = i.when == pl::condition::unless_all_came && r.is_known;
                auto const number = r.number - i.runs_back;
                auto const least = (static_cast<std::uint64_t>(std::max(number, 0)) << 20) + i.at;
                if (!skipped && number > 0 && come_[{i.peer, r.by, channel(r, number)}] < least) {
                    return false;
                }
                break;
            }
            case pl::opcode::publish:
                come_[{rank, r.by, channel(r, r.number)}] =
                    (static_cast<std::uint64_t>(r.number) << 20) + i.at;
                break;
            case pl::opcode::copy:
            case pl::opcode::reduce:
                if (!reads_message(a, i, rank) && a.element < i.bytes / what_.element) {
                    compute(a.run, i, rank, a.element++, nullptr);
                    return true;
                }
                break;
            case pl::opcode::send:
            case pl::opcode::receive:
                a.open.emplace_back(
                    queue_.post(a.run, rank, i.peer, i.what == pl::opcode::send, a.next), i.number);
                break;
            case pl::opcode::test: {
                auto const found = std::find_if(a.open.begin(), a.open.end(), [&](auto const& o) {
                    return o.second == i.number;
                });
                if (found == a.open.end()) { throw wrong_plan("it tests what is not posted"); }
                if (!queue_.is_done(found->first)) { return false; }
                a.open.erase(found);
                break;
            }
        }
        ++a.next;
        a.element = 0;
        return true;
    }
    static int channel(pl::run_of_history const& r, int number) {
        return r.by == pl::backend::memory ? number % pl::channels : number;
    }
    bool reads_message(active_run const& a, pl::instruction const& i, int rank) const {
        auto const& from = plan(a.run, rank).sources;
        return std::any_of(from.begin() + i.sources.first, from.begin() + i.sources.last,
                           [](auto const& p) { return p.where == pl::memory::message; });
    }

    /// Something that the transport does with what a run has posted.
    bool carry(active_run& a, int rank) {
        for (auto const& [end, request] : a.open) {
            auto const& i = plan(a.run, rank).program[end.instruction];
            auto const n = i.bytes / what_.element;
            if (end.sends && queue_.may_capture(end)) {
                std::vector<int> values;
                auto const& from = plan(a.run, rank).sources[index(i.sources.first)];
                for (std::size_t k = 0; k < n; ++k) {
                    values.push_back(memory_.at(a.run, rank, from, k));
                }
                queue_.capture(end, std::move(values));
                return true;
            }
            if (!end.sends && queue_.may_deliver(end)) {
                deliver(a, i, rank, queue_.deliver(end), request);
                return true;
            }
        }
        return false;
    }
    void deliver(active_run const& a, pl::instruction const& i, int rank,
                 std::vector<int> const& values, int request) {
        if (values.size() != i.bytes / what_.element) { throw wrong_plan("another size comes"); }
        auto const& p = plan(a.run, rank);
        if (i.destinations.size() != 0) {
            for (std::size_t k = 0; k < values.size(); ++k) {
                memory_.at(a.run, rank, p.destinations[index(i.destinations.first)].to, k) =
                    values[k];
            }
            return;
        }
        // What is reduced as it comes stands between the post and the test.
        for (auto n = static_cast<std::size_t>(&i - p.program.data()) + 1;
             p.program[n].what != pl::opcode::test || p.program[n].number != request; ++n) {
            auto const& each = p.program[n];
            auto const is_for_it = [&](auto const& s) {
                return s.where == pl::memory::message && s.number == request;
            };
            if (each.what != pl::opcode::reduce ||
                std::none_of(p.sources.begin() + each.sources.first,
                             p.sources.begin() + each.sources.last, is_for_it)) {
                continue;
            }
            for (std::size_t k = 0; k < each.bytes / what_.element; ++k) {
                compute(a.run, each, rank, k, &values);
            }
        }
    }
    /// Element `k` of a copy or reduction; `message`: what one of its sources brings.
    void compute(int run, pl::instruction const& i, int rank, std::size_t k,
                 std::vector<int> const* message) {
        auto const& p = plan(run, rank);
        std::vector<int> operands;
        for (int s = i.sources.first; s < i.sources.last; ++s) {
            auto const& from = p.sources[index(s)];
            auto const brought = from.where == pl::memory::message;
            auto const n = from.offset / what_.element + k;
            if (brought && (message == nullptr || n >= message->size())) {
                throw wrong_plan("it goes beyond a message");
            }
            operands.push_back(brought ? (*message)[n] : memory_.at(run, rank, from, k));
        }
        auto const copies = i.what == pl::opcode::copy;
        auto const result = copies ? operands.front() : values_.sum(operands, i.completes);
        for (int d = i.destinations.first; d < i.destinations.last; ++d) {
            memory_.at(run, rank, p.destinations[index(d)].to, k) = result;
        }
    }

    pl::planned_history const& what_;
    std::mt19937& random_;
    std::vector<std::vector<pl::plan>> plans_;
    symbolic_memory memory_;
    std::vector<rank_state> ranks_;
    pl::expressions values_;
    std::map<std::tuple<int, pl::backend, int>, std::uint64_t> come_;  // counters
    message_queue queue_;
};

}  // namespace plan_cases
