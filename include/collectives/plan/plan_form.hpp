// SPDX-License-Identifier: BSD-3-Clause
// Checks one plan by itself, before it is compared with those of other ranks.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/plan/plan.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace collectives::inline v0::plans {

/// Why a plan is malformed, and in which instruction (-1: in none).
struct plan_fault {
    std::string_view what;
    int instruction = -1;
    explicit operator bool() const { return !what.empty(); }
};

class plan_form {
public:
    explicit plan_form(plan const& p) : plan_(p) {}

    plan_fault fault() {
        if (plan_.size < 1 || plan_.rank < 0 || plan_.rank >= plan_.size) {
            return {"there is no such rank"};
        }
        for (auto const& o : plan_.offers) {
            if (!is_peer(o.to)) { return {"an offer is to no peer"}; }
        }
        for (std::size_t i = 0; i < plan_.program.size(); ++i) {
            auto const why = fault_of(plan_.program[i]);
            if (!why.empty()) { return {why, static_cast<int>(i)}; }
        }
        if (std::find(pending_.begin(), pending_.end(), true) != pending_.end()) {
            return {"a message is never tested"};
        }
        if (streams_ && !plan_.fences_at_end) { return {"streaming stores are not fenced"}; }
        return {};
    }

private:
    bool is_peer(rank_t r) const { return r >= 0 && r < plan_.size && r != plan_.rank; }
    static bool is_range(index_range r, std::size_t size) {
        return r.first >= 0 && r.first <= r.last && static_cast<std::size_t>(r.last) <= size;
    }

    std::string_view fault_of(instruction const& i) {
        if (!is_range(i.sources, plan_.sources.size()) ||
            !is_range(i.destinations, plan_.destinations.size())) {
            return "there are no such operands";
        }
        auto const moves = i.what == opcode::copy || i.what == opcode::reduce;
        auto const posts = i.what == opcode::send || i.what == opcode::receive;
        if (is_shared(i) && i.what != opcode::copy) { return "ranks share copies alone"; }
        if ((posts || is_shared(i) || i.what == opcode::wait) && !is_peer(i.peer)) {
            return "it is with no peer";
        }
        auto const empty = i.bytes == 0 && i.sources.size() == 0;  // has been dropped
        auto const least = (moves && !empty) || i.what == opcode::send ? 1 : 0;
        if (i.sources.size() < least || (i.what != opcode::reduce && i.sources.size() > least)) {
            return "it has no such number of sources";
        }
        auto const writes = moves ? least : 0;
        auto const may_write = moves || i.what == opcode::receive;
        if (i.destinations.size() < writes || (!may_write && i.destinations.size() != 0) ||
            (i.what == opcode::receive && i.destinations.size() > 1)) {
            return "it has no such number of destinations";
        }
        if (i.at > left || i.runs_back < 0) { return "there is no such point"; }
        if (i.what == opcode::publish) {
            if (streams_ && !i.fence) { return "streaming stores are published without a fence"; }
            streams_ = false;
        }
        for (int k = i.sources.first; k < i.sources.last; ++k) {
            auto const& p = plan_.sources[static_cast<std::size_t>(k)];
            if (p.where == memory::offer ? !is_peer(p.peer) : p.peer != -1) {
                return "a source is nowhere";
            }
            if (p.where == memory::message && i.what != opcode::reduce) {
                return "a message is not reduced";
            }
        }
        for (int k = i.destinations.first; k < i.destinations.last; ++k) {
            auto const& d = plan_.destinations[static_cast<std::size_t>(k)];
            if (d.to.peer != -1 ? !is_peer(d.to.peer) || d.to.where != memory::output
                                : d.to.where == memory::input || d.to.where >= memory::message) {
                return "a destination is nowhere that may be written";
            }
            streams_ = streams_ || may_stream(d.how);
        }
        return follow_requests(i);
    }
    std::string_view follow_requests(instruction const& i) {
        if (i.what != opcode::send && i.what != opcode::receive && i.what != opcode::test) {
            return {};
        }
        if (i.number < 0 || i.number > 1 << 20) { return "there is no such request"; }
        auto const n = static_cast<std::size_t>(i.number);
        if (pending_.size() <= n) { pending_.resize(n + 1); }
        if (pending_[n] == (i.what != opcode::test)) {
            return i.what == opcode::test ? "it tests no message" : "a request is used twice";
        }
        pending_[n] = i.what != opcode::test;
        return {};
    }

    plan const& plan_;
    bool streams_ = false;
    lean_vector<bool> pending_;  // messages that are not tested
};

}  // namespace collectives::plans
