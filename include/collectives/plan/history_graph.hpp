// SPDX-License-Identifier: BSD-3-Clause
// The events of all ranks in successive calls, and their order: program order, a publish before the
// waits that it ends, a send before what its receive brings, and the windows of calls.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/plan/event_graph.hpp>
#include <collectives/plan/run_numbers.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

namespace collectives::inline v0::plans {

enum class event_kind : std::uint8_t { enter_call, leave_call, announce, leave_run, step };

struct plan_event {
    event_kind what = event_kind::step;
    int call = 0, run = 0;
    rank_t rank = 0;
    int instruction = -1;
    int matched = -1;  // of a receive: the event of the send
};

/// `plans[run][rank]` are resolved. The graph has no accesses; check_plan performs those in the
/// graph's order.
class history_graph {
public:
    history_graph(planned_history const& what, lean_vector<lean_vector<plan>> const& plans)
        : what_(what), plans_(plans) {}

    /// Builds the graph. Returns empty, or why there is no order; then `at` says where.
    std::string_view build() {
        runs_ = number_runs(what_);
        int run = 0;
        for (std::size_t c = 0; c < what_.calls.size(); ++c) {
            auto const& call = what_.calls[c];
            for (std::size_t r = 0; r < call.buffers.size(); ++r) {
                add_call(static_cast<int>(c), static_cast<rank_t>(r), run);
            }
            run += static_cast<int>(call.runs.size());
        }
        if (!fault_.empty()) { return fault_; }
        if (!match_waits() || !match_messages()) { return fault_; }
        if (graph_.sort()) { return {}; }
        fault_at_ = events_[static_cast<std::size_t>(graph_.stuck())];
        return "ranks wait in a circle";
    }
    event_graph const& graph() const { return graph_; }
    lean_vector<plan_event> const& events() const { return events_; }
    lean_vector<run_of_history> const& runs() const { return runs_; }
    plan_event const& at() const { return fault_at_; }

private:
    using counter_key = std::tuple<rank_t, backend, int>;  // the last: channel, or number of a call
    using flow_key = std::tuple<int, rank_t, rank_t>;      // run, from, to
    using chain_key = std::tuple<rank_t, int, int, int>;   // rank, kind, number, request

    struct publication {
        std::uint64_t value = 0;
        int event = -1;
    };
    struct posted {
        int post = -1, access = -1;
        std::size_t bytes = 0;
        lean_vector<int> others{};  // the events that read a message as it comes
    };
    struct pending_wait {
        counter_key counter;
        std::uint64_t value = 0;
        int event = -1;
    };

    int chain(chain_key key) {
        return chains_.try_emplace(key, static_cast<int>(chains_.size())).first->second;
    }
    int add(chain_key key, plan_event e) {
        events_.push_back(e);
        return graph_.add(chain(key));
    }

    void add_call(int call, rank_t rank, int first_run) {
        auto const runs = static_cast<int>(what_.calls[static_cast<std::size_t>(call)].runs.size());
        auto const key = chain_key{rank, 0, what_.overlapping ? call : 0, 0};
        auto const enter = add(key, {event_kind::enter_call, call, -1, rank});
        auto& last = last_of_user_[rank];
        if (last.size() > 0) { graph_.order(last.back(), enter); }
        lean_vector<int> ends;
        for (int s = 0; s < runs; ++s) { ends.push_back(add_run(first_run + s, rank, enter)); }
        auto const leave = add(key, {event_kind::leave_call, call, -1, rank});
        graph_.order(enter, leave);
        for (auto const e : ends) { graph_.order(e, leave); }
        last.push_back(what_.overlapping ? enter : leave);
    }

    /// Adds a run of a rank. Returns the event at which the rank leaves the run.
    int add_run(int run, rank_t rank, int enter) {
        auto const& r = runs_[static_cast<std::size_t>(run)];
        auto const& p = plans_[static_cast<std::size_t>(run)][static_cast<std::size_t>(rank)];
        auto const kind = 1 + static_cast<int>(r.by);
        auto const key = chain_key{rank, kind,
                                   r.by == backend::memory  ? r.number % runs_at_once
                                   : r.by == backend::cells ? 0
                                                            : run,
                                   0};
        auto& before = past_[{rank, kind}];
        auto last = enter;
        auto const lag = r.by == backend::cells ? 1 : runs_at_once;
        auto const left_before = r.by != backend::messages && r.number > lag
                                     ? before[static_cast<std::size_t>(r.number - lag - 1)].second
                                     : -1;
        std::map<int, posted> open;
        int announced = -1;
        auto const step = [&](plan_event e) {
            auto const event = add(key, e);
            graph_.order(last, event);
            if (last == enter) { graph_.order(left_before, event); }
            last = event;
            return event;
        };
        auto const announce = [&] {
            announced = step({event_kind::announce, r.call, run, rank});
            if (!before.empty()) { graph_.order(before.back().first, announced); }
        };
        for (std::size_t k = 0; k < p.program.size(); ++k) {
            auto const& i = p.program[k];
            auto const windows = i.what == opcode::wait && i.when == condition::unless_all_came;
            if (!windows && announced < 0) { announce(); }
            plan_event const e{event_kind::step, r.call, run, rank, static_cast<int>(k)};
            if (i.what == opcode::send || i.what == opcode::receive) {
                post(e, i, step(e), open, key);
            } else if (i.what == opcode::test) {
                close(step(e), open[i.number]);
                open.erase(i.number);
            } else if (auto const message = reads_message(p, i); message >= 0) {
                auto& of = open[message];
                auto other = key;
                std::get<3>(other) = 1000 * (message + 1) + static_cast<int>(of.others.size());
                of.others.push_back(add(other, e));
                graph_.order(of.post, of.others.back());
                if (of.post < 0) { fault(e, "it reads a message that is not posted"); }
            } else {
                point_of(e, i, step(e), r);
            }
        }
        if (announced < 0) { announce(); }
        auto const leave = step({event_kind::leave_run, r.call, run, rank});
        if (r.by != backend::messages) { before.emplace_back(announced, leave); }
        return leave;
    }

    void fault(plan_event const& e, std::string_view why) {
        if (fault_.empty()) {
            fault_ = why;
            fault_at_ = e;
        }
    }
    static int reads_message(plan const& p, instruction const& i) {
        for (int k = i.sources.first; k < i.sources.last; ++k) {
            auto const& s = p.sources[static_cast<std::size_t>(k)];
            if (s.where == memory::message) { return s.number; }
        }
        return -1;
    }

    void point_of(plan_event const& e, instruction const& i, int event, run_of_history const& r) {
        if (i.what != opcode::wait && i.what != opcode::publish) { return; }
        auto const number = r.number - i.runs_back;
        // A rank reads cells of both depths, and each call uses one of the depths.
        auto const channel = r.by == backend::memory ? number % channels : number;
        auto const value = (static_cast<std::uint64_t>(std::max(number, 0)) << 20) + i.at;
        if (i.what == opcode::publish) {
            auto& list = published_[{e.rank, r.by, channel}];
            if (!list.empty() && list.back().value >= value) { fault(e, "a counter goes back"); }
            list.push_back({value, event});
        } else if (number > 0 && !(i.when == condition::unless_all_came && r.is_known)) {
            waits_.push_back({{i.peer, r.by, channel}, value, event});
        }
    }
    bool match_waits() {
        for (auto const& w : waits_) {
            auto const& list = published_[w.counter];
            auto const found =
                std::lower_bound(list.begin(), list.end(), w.value,
                                 [](publication const& p, std::uint64_t v) { return p.value < v; });
            if (found == list.end()) {
                fault(events_[static_cast<std::size_t>(w.event)],
                      "nobody publishes what it waits for");
                return false;
            }
            graph_.order(found->event, w.event);
        }
        return true;
    }

    void post(plan_event const& e, instruction const& i, int event, std::map<int, posted>& open,
              chain_key key) {
        posted p{event, -1, i.bytes};
        if (i.what == opcode::send || i.destinations.size() != 0) {
            std::get<3>(key) = i.number + 1;
            p.access = add(key, e);
            graph_.order(event, p.access);
        }
        open[i.number] = p;
        auto const flow = i.what == opcode::send ? flow_key{e.run, e.rank, i.peer}
                                                 : flow_key{e.run, i.peer, e.rank};
        (i.what == opcode::send ? sent_ : received_)[flow].push_back(p);
        flow_of_post_[event] = {flow,
                                (i.what == opcode::send ? sent_ : received_)[flow].size() - 1};
    }
    void close(int test, posted const& p) {
        graph_.order(p.post, test);
        graph_.order(p.access, test);
        for (auto const o : p.others) { graph_.order(o, test); }
        if (p.post < 0) { return; }
        auto const [flow, k] = flow_of_post_[p.post];
        if (events_[static_cast<std::size_t>(p.post)].rank == std::get<1>(flow)) {
            tests_[{flow, k}] = test;
        } else {
            received_[flow][k].others = p.others;
        }
    }
    bool match_messages() {
        for (auto const& [flow, list] : received_) {
            auto const& from = sent_[flow];
            for (std::size_t k = 0; k < list.size(); ++k) {
                auto const& at = events_[static_cast<std::size_t>(list[k].post)];
                if (k >= from.size()) {
                    fault(at, "a receive has no send");
                    return false;
                }
                if (from[k].bytes != list[k].bytes) {
                    fault(at, "a message has another size than its receive");
                    return false;
                }
                // A transport may, but need not, hold up a send until there is a receive.
                graph_.hold_up(list[k].post, tests_[{flow, k}]);
                auto const brings = [&](int event) {
                    if (event < 0) { return; }
                    graph_.order(from[k].access, event);
                    events_[static_cast<std::size_t>(event)].matched = from[k].access;
                };
                brings(list[k].access);
                for (auto const o : list[k].others) { brings(o); }
            }
        }
        for (auto const& [flow, list] : sent_) {
            if (list.size() == received_[flow].size()) { continue; }
            fault(events_[static_cast<std::size_t>(list.back().post)], "a send has no receive");
            return false;
        }
        return true;
    }

    planned_history const& what_;
    lean_vector<lean_vector<plan>> const& plans_;
    event_graph graph_;
    lean_vector<plan_event> events_;
    lean_vector<run_of_history> runs_;
    std::map<chain_key, int> chains_;
    std::map<rank_t, lean_vector<int>> last_of_user_;
    std::map<std::pair<rank_t, int>, lean_vector<std::pair<int, int>>> past_;  // announce, leave
    std::map<counter_key, lean_vector<publication>> published_;
    lean_vector<pending_wait> waits_;
    std::map<flow_key, lean_vector<posted>> sent_, received_;
    std::map<int, std::pair<flow_key, std::size_t>> flow_of_post_;
    std::map<std::pair<flow_key, std::size_t>, int> tests_;
    std::string_view fault_;
    plan_event fault_at_{};
};

}  // namespace collectives::plans
