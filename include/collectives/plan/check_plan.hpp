// SPDX-License-Identifier: BSD-3-Clause
// Proves the plans of all ranks together, over successive calls. docs/plans.md says how.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/plan/expressions.hpp>
#include <collectives/plan/history_graph.hpp>
#include <collectives/plan/history_memory.hpp>
#include <collectives/plan/plan_form.hpp>
#include <collectives/plan/resolve.hpp>

#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace collectives::inline v0::plans {

class plan_checker {
public:
    explicit plan_checker(planned_history const& what) : what_(what) {}

    plan_verdict run() {
        if (!resolve_all()) { return verdict_; }
        history_graph order(what_, plans_);
        if (auto const why = order.build(); !why.empty()) { return refuse(why, order.at()); }
        history_memory memory(what_, plans_, order, values_);
        memory_ = &memory;
        sent_.resize(order.events().size());
        for (auto const id : order.graph().sorted()) {
            event_ = id;
            memory.begin(id);
            auto const& e = order.events()[static_cast<std::size_t>(id)];
            if (auto const why = carry_out(e); !why.empty()) { return refuse(why, e); }
        }
        return verdict_;
    }

private:
    using range = history_memory::range;

    plan const& plan_of(plan_event const& e) const {
        return plans_[static_cast<std::size_t>(e.run)][static_cast<std::size_t>(e.rank)];
    }
    plan_verdict refuse(std::string_view why, plan_event const& e) {
        return {false, why, e.call, e.run, e.rank, e.instruction};
    }

    bool resolve_all() {
        int call = 0;
        for (auto const& c : what_.calls) {
            for (auto const& r : c.runs) {
                lean_vector<peer_view> views;
                for (auto const& p : r.ranks) {
                    if (auto const f = plan_form(p).fault()) {
                        verdict_ = {false,  f.what,       call, static_cast<int>(plans_.size()),
                                    p.rank, f.instruction};
                        return false;
                    }
                    views.push_back({p.shown, p.offers});
                }
                plans_.emplace_back();
                for (auto const& p : r.ranks) { plans_.back().push_back(resolve(p, views)); }
            }
            ++call;
        }
        return true;
    }
    std::string_view carry_out(plan_event const& e) {
        switch (e.what) {
            case event_kind::enter_call: return memory_->fill_buffers(e, true);
            case event_kind::leave_call: {
                auto const why = look_at_results(e);
                return why.empty() ? memory_->fill_buffers(e, false) : why;
            }
            case event_kind::announce: return memory_->announce(e);
            case event_kind::leave_run: return memory_->leave(e);
            case event_kind::step: break;
        }
        return step(e);
    }

    int expected(promise const& w, int call, int value, std::size_t element) {
        auto const& v = w.values[static_cast<std::size_t>(value)];
        if (!v.operands.empty()) {
            lean_vector<int> operands;
            for (auto const o : v.operands) { operands.push_back(expected(w, call, o, element)); }
            return values_.sum(operands, v.completes);
        }
        for (auto const& c : w.inputs[static_cast<std::size_t>(v.rank)]) {
            if (c.chunk == v.chunk) {
                return values_.contribution(call, v.rank, c.offset / what_.element + element);
            }
        }
        return byte_states::undefined;
    }
    std::string_view look_at_results(plan_event const& e) {
        auto output = memory_->output_of(e);
        lean_vector<char> promised(output.count);
        for (auto const& r : what_.calls[static_cast<std::size_t>(e.call)].runs) {
            for (auto const& c : r.wanted.outputs[static_cast<std::size_t>(e.rank)]) {
                for (std::size_t k = 0; k < c.bytes / what_.element; ++k) {
                    int value = 0;
                    auto const at = c.offset / what_.element + k;
                    if (auto const why = memory_->read(output, at, value); !why.empty()) {
                        return why;
                    }
                    if (value != expected(r.wanted, e.call, c.value, k)) {
                        return "the result is not the schedule's";
                    }
                    promised[at] = true;
                }
            }
        }
        for (std::size_t k = 0; k < output.count; ++k) {
            if (!promised[k] && memory_->is_defined(output, k)) {
                return "the output holds more than its blocks";
            }
        }
        return {};
    }

    std::string_view step(plan_event const& e) {
        auto const n = static_cast<std::size_t>(e.instruction);
        auto const& i = plan_of(e).program[n];
        auto const& as_it_was =
            memory_->planned(e).ranks[static_cast<std::size_t>(e.rank)].program[n];
        if (as_it_was.when == condition::unless_peer_takes_results) {
            if (auto const why = memory_->ask_announcement(e, as_it_was.peer); !why.empty()) {
                return why;
            }
        }
        if (is_shared(as_it_was)) {
            if (auto const why = memory_->read_announcement(e, as_it_was.peer); !why.empty()) {
                return why;
            }
        }
        if (i.what == opcode::wait || i.what == opcode::publish || i.what == opcode::test) {
            return {};
        }
        // A post is an event only if nothing else stands for its message.
        if ((i.what == opcode::send || i.what == opcode::receive) && !is_access(e)) { return {}; }
        lean_vector<lean_vector<int>> operands;
        lean_vector<range> touched;
        auto const why = read_sources(e, i, operands, touched);
        if (!why.empty()) { return why; }
        if (i.what == opcode::send) {
            sent_[static_cast<std::size_t>(event_)] = operands.front();
            return {};
        }
        lean_vector<int> result;
        if (i.what == opcode::receive) {
            result = sent_[static_cast<std::size_t>(e.matched)];
        } else {
            for (std::size_t k = 0; k < i.bytes / what_.element; ++k) {
                lean_vector<int> sum;
                for (auto const& o : operands) { sum.push_back(o[k]); }
                result.push_back(i.what == opcode::copy ? sum.front()
                                                        : values_.sum(sum, i.completes));
            }
        }
        return write_destinations(e, i, result, touched);
    }
    /// Whether an event of a send or receive is the transport's access, not the post.
    bool is_access(plan_event const& e) {
        auto& posted = posts_[{e.run, e.rank, e.instruction}];
        return std::exchange(posted, true);
    }
    std::string_view read_sources(plan_event const& e, instruction const& i,
                                  lean_vector<lean_vector<int>>& operands,
                                  lean_vector<range>& touched) {
        auto const& p = plan_of(e);
        for (int k = i.sources.first; k < i.sources.last; ++k) {
            auto const& from = p.sources[static_cast<std::size_t>(k)];
            operands.emplace_back();
            if (from.where == memory::message) {
                if (e.matched < 0) { return "it reads a message that does not come"; }
                auto const& message = sent_[static_cast<std::size_t>(e.matched)];
                auto const first = from.offset / what_.element, n = i.bytes / what_.element;
                if (from.offset % what_.element != 0 || first + n > message.size()) {
                    return "it goes beyond a message";
                }
                auto const begin = message.begin() + static_cast<std::ptrdiff_t>(first);
                operands.back().assign(begin, begin + static_cast<std::ptrdiff_t>(n));
                continue;
            }
            range at;
            if (auto const why = memory_->find(e, from, i.bytes, at); !why.empty()) { return why; }
            touched.push_back(at);
            for (std::size_t n = 0; n < at.count; ++n) {
                operands.back().push_back(0);
                auto const why = memory_->read(at, n, operands.back().back());
                if (!why.empty()) { return why; }
            }
        }
        return {};
    }
    std::string_view write_destinations(plan_event const& e, instruction const& i,
                                        lean_vector<int> const& result,
                                        lean_vector<range>& touched) {
        auto const& p = plan_of(e);
        auto const sources = touched.size();
        for (int k = i.destinations.first; k < i.destinations.last; ++k) {
            range at;
            auto const& to = p.destinations[static_cast<std::size_t>(k)].to;
            if (auto const why = memory_->find(e, to, i.bytes, at); !why.empty()) { return why; }
            for (std::size_t t = 0; t < touched.size(); ++t) {
                auto const& o = touched[t];
                auto const apart = o.in != at.in || o.first + o.count <= at.first ||
                                   at.first + at.count <= o.first;
                // Elements are read before they are written, so a result may be in the place of a
                // source.
                if (!apart && (t >= sources || o.first != at.first)) {
                    return "its operands overlap";
                }
            }
            touched.push_back(at);
            for (std::size_t n = 0; n < at.count; ++n) {
                auto const why = memory_->write(at, n, result[n]);
                if (!why.empty()) { return why; }
            }
        }
        return {};
    }

    planned_history const& what_;
    lean_vector<lean_vector<plan>> plans_;  // resolved, by run and rank
    history_memory* memory_ = nullptr;
    int event_ = -1;
    expressions values_;
    lean_vector<lean_vector<int>> sent_;  // by the event of the transport's read
    std::map<std::tuple<int, rank_t, int>, bool> posts_;
    plan_verdict verdict_{};
};

/// Proves that
///  - no rank waits in a circle, and every message that is sent is received, with its size;
///  - every two accesses to the same bytes of which one writes are ordered, so that each read has
///    one latest writer, in whatever order ranks run: also those of the calls before and after,
///    with which calls share scratch, cells, counters and the callers' buffers;
///  - nothing is read that nobody has written, and nothing beyond a buffer;
///  - a publish after streaming stores carries its fence;
///  - each result is the schedule's, with its brackets.
inline plan_verdict check_plan(planned_history const& what) { return plan_checker(what).run(); }

}  // namespace collectives::plans
