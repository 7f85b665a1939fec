// SPDX-License-Identifier: BSD-3-Clause
// Plans as text.
#include "append.hpp"
#include "planned.hpp"

namespace coll_show {

namespace {

std::string point_text(plans::point at) {
    if (at == plans::left) { return "left"; }
    auto const round = (static_cast<int>(at) - 1) / 2;
    return fmt::format("{} {}", plans::is_come(at) ? "come" : "done", round);
}

/// The rank whose message request `number` brings.
coll::rank_t sender_of(plans::plan const& p, plans::instruction const& reader, int number) {
    coll::rank_t from = -1;
    for (auto const& i : p.program) {
        if (&i == &reader) { break; }
        if (i.what == plans::opcode::receive && i.number == number) { from = i.peer; }
    }
    return from;
}

std::string list_of_sources(plans::plan const& p, plans::instruction const& i) {
    std::string out;
    for (int k = i.sources.first; k < i.sources.last; ++k) {
        auto const& at = p.sources[static_cast<std::size_t>(k)];
        auto const text = at.where == plans::memory::message
                              ? fmt::format("what rank {} sends", sender_of(p, i, at.number))
                              : place_text(p, at);
        append(out, "{}{}", out.empty() ? "" : " + ", text);
    }
    return out;
}

std::string list_of_destinations(plans::plan const& p, plans::instruction const& i) {
    std::string out;
    for (int k = i.destinations.first; k < i.destinations.last; ++k) {
        auto const& to = p.destinations[static_cast<std::size_t>(k)].to;
        append(out, "{}{}", out.empty() ? "" : ", ", place_text(p, to));
    }
    return out;
}

}  // namespace

std::string place_text(plans::plan const&, plans::place const& at) {
    auto out = at.peer < 0 ? std::string(plans::name(at.where))
                           : fmt::format("rank {}'s {}", at.peer, plans::name(at.where));
    return at.offset == 0 ? out : fmt::format("{}+{}", out, human_bytes(at.offset));
}

std::string headline(plans::plan const&, plans::instruction const& i) {
    auto const name = plans::name(i.what);
    switch (i.what) {
        case plans::opcode::wait:
            return i.runs_back == 0 ? fmt::format("wait      rank {}: {}", i.peer, point_text(i.at))
                                    : fmt::format("wait      rank {}: {}, {} before", i.peer,
                                                  point_text(i.at), counted(i.runs_back, "call"));
        case plans::opcode::publish:
            return fmt::format("publish   {}{}", point_text(i.at), i.fence ? ", fenced" : "");
        case plans::opcode::send:
            return fmt::format("send      {} to rank {}", human_bytes(i.bytes), i.peer);
        case plans::opcode::receive:
            return fmt::format("receive   {} from rank {}", human_bytes(i.bytes), i.peer);
        case plans::opcode::test: return fmt::format("test      request {}", i.number);
        case plans::opcode::copy:
        case plans::opcode::reduce: break;
    }
    return fmt::format("{:<9} {}", name, human_bytes(i.bytes));
}

std::string operands(plans::plan const& p, plans::instruction const& i) {
    auto const from = list_of_sources(p, i);
    auto const to = list_of_destinations(p, i);
    switch (i.what) {
        case plans::opcode::send: return from;
        case plans::opcode::receive: return to.empty() ? "reduced as it comes" : to;
        case plans::opcode::copy:
        case plans::opcode::reduce: return fmt::format("{} <- {}", to, from);
        default: return {};
    }
}

std::string as_text(plan_report const& shown) {
    std::string out = shown.title + "\n";
    for (auto const& p : shown.ranks) {
        append(out, "\nrank {}\n", p.rank);
        auto round = -1;
        for (auto const& i : p.program) {
            auto const new_round = i.round != round;
            round = i.round;
            auto line =
                fmt::format("  {:<10}{:<32}{}", new_round ? fmt::format("round {}", round) : "",
                            headline(p, i), operands(p, i));
            line.erase(line.find_last_not_of(' ') + 1);
            out += line + "\n";
        }
    }
    append(out, "\nWhat moves, in bytes\n\n  {:<10}{:>14}{:>16}{:>12}{:>12}{:>12}{:>12}\n", "",
           "read of peers", "written to them", "sent", "received", "staged", "scratch");
    for (std::size_t r = 0; r < shown.traffic.size(); ++r) {
        auto const& t = shown.traffic[r];
        append(out, "  {:<10}{:>14}{:>16}{:>12}{:>12}{:>12}{:>12}\n", fmt::format("rank {}", r),
               t.read, t.written, t.sent, t.received, t.staged, t.scratch);
    }
    auto const& proof = shown.proof;
    if (!proof.ok) {
        append(out, "\nProof: WRONG: {}, call {}, rank {}, instruction {}\n", proof.what,
               proof.call, proof.rank, proof.instruction);
        return out;
    }
    append(
        out,
        "\nProof: correct, over {} calls in a row of {} elements: all accesses to the same bytes "
        "are ordered,\nno ranks wait for each other in a circle, each result has the brackets "
        "of the schedule.\n",
        shown.calls, shown.elements);
    return out;
}

}  // namespace coll_show
