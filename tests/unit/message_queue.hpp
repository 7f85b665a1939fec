// SPDX-License-Identifier: BSD-3-Clause
// Messages of the reference interpreter: first in, first out from each rank to each other.
#pragma once

#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace plan_cases {

class message_queue {
public:
    /// A send or a receive that is posted.
    struct end {
        std::tuple<int, int, int> flow;  // run, from, to
        std::size_t number = 0;          // in the flow
        bool sends = false;
        std::size_t instruction = 0;
    };

    end post(int run, int rank, int peer, bool sends, std::size_t instruction) {
        auto const flow = sends ? std::tuple(run, rank, peer) : std::tuple(run, peer, rank);
        auto& of = flows_[flow];
        auto const number = sends ? of.sent++ : of.received++;
        of.messages.resize(of.sent > of.received ? of.sent : of.received);
        return {flow, number, sends, instruction};
    }
    bool may_capture(end const& e) { return !at(e).captured; }
    void capture(end const& e, std::vector<int> values) {
        at(e).values = std::move(values);
        at(e).captured = true;
    }
    bool may_deliver(end const& e) { return at(e).captured && !at(e).delivered; }
    std::vector<int> const& deliver(end const& e) {
        at(e).delivered = true;
        return at(e).values;
    }
    bool is_done(end const& e) { return e.sends ? at(e).captured : at(e).delivered; }

private:
    struct message {
        std::vector<int> values;
        bool captured = false, delivered = false;
    };
    struct flow_state {
        std::size_t sent = 0, received = 0;
        std::vector<message> messages;
    };
    message& at(end const& e) { return flows_[e.flow].messages[e.number]; }

    std::map<std::tuple<int, int, int>, flow_state> flows_;
};

}  // namespace plan_cases
