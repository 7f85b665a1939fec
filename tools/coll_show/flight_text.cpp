// SPDX-License-Identifier: BSD-3-Clause
// Flight reports of all ranks, read together.
#include "append.hpp"
#include "flight.hpp"

#include <collectives/schedule/drawing/rank_set.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace coll_show {

using collectives::drawing::label, collectives::drawing::rank_set;

namespace {

using rank_chain = std::vector<int>;

flight_rank const& at(flight const& of, int r) { return of.ranks[static_cast<std::size_t>(r)]; }

rank_set set_of(flight const& of, auto&& is) {
    rank_set result(static_cast<int>(of.ranks.size()));
    for (int r = 0; r < static_cast<int>(of.ranks.size()); ++r) {
        if (is(at(of, r))) { result.insert(r); }
    }
    return result;
}

std::string who(flight const& of, rank_set const& set) {
    if (set.empty()) { return "no rank"; }
    if (set.count() == static_cast<int>(of.ranks.size())) { return "all ranks"; }
    return fmt::format("{} {}", set.count() == 1 ? "rank" : "ranks", label(set));
}

std::string step_of(flight_wait const& w) {
    return w.round < 0 ? fmt::format("{} #{}", w.call, w.number)
                       : fmt::format("round {} of {} #{}", w.round, w.call, w.number);
}

std::string call_of(flight const& of, std::uint64_t number) {
    for (auto const& r : of.ranks) {
        if (auto const found = r.calls.find(number); found != r.calls.end()) {
            return found->second.what.substr(0, found->second.what.find(','));
        }
    }
    return "operation";
}

/// The failures, each once, with the ranks that report it.
std::string failures(flight const& of) {
    std::map<std::string, rank_set> by;
    for (auto const& r : of.ranks) {
        if (r.failure.empty()) { continue; }
        by.emplace(r.failure, set_of(of, [&](auto const& x) { return x.failure == r.failure; }));
    }
    std::string text;
    for (auto const& [what, set] : by) { append(text, "{} (from {})\n", what, who(of, set)); }
    return text;
}

/// The last calls, and who was in them. Calls of one number that differ have a line each.
std::string last_calls(flight const& of) {
    constexpr std::size_t most = 6;
    std::map<std::pair<std::uint64_t, std::string>, rank_set> lines;
    auto const size = static_cast<int>(of.ranks.size());
    for (int r = 0; r < size; ++r) {
        for (auto const& [number, call] : at(of, r).calls) {
            lines.try_emplace({number, call.what}, size).first->second.insert(r);
        }
    }
    std::string text = lines.empty() ? "" : "\nLast calls, as far as the files tell\n";
    auto line = lines.begin();
    if (lines.size() > most) {
        std::advance(line, static_cast<std::ptrdiff_t>(lines.size() - most));
    }
    for (; line != lines.end(); ++line) {
        auto const& [call, set] = *line;
        auto const done = set_of(of, [&](auto const& r) {
            return r.finished >= call.first && r.calls.contains(call.first) &&
                   r.calls.at(call.first).what == call.second;
        });
        append(text, "  #{:<6} {}: entered by {}, finished by {}\n", call.first, call.second,
               who(of, set), who(of, done));
    }
    return text;
}

std::string standings(flight const& of) {
    std::string text = "Where each rank stood\n";
    for (int r = 0; r < static_cast<int>(of.ranks.size()); ++r) {
        auto const& its = at(of, r);
        auto const last =
            its.entered == 0
                ? std::string("had entered nothing")
                : fmt::format("last entered {} #{}{}", call_of(of, its.entered), its.entered,
                              its.finished >= its.entered ? " and finished it" : "");
        append(text, "  rank {:<4} ", r);
        if (its.path.empty()) {
            append(text, "NO FILE; the others say: ");
        } else {
            append(text, "{}, process {}: ", its.host, its.pid);
        }
        append(text, "{}", last);
        if (its.waits) {
            append(text, "; waited in {}", step_of(*its.waits));
            if (its.waits->peer >= 0) { append(text, " for rank {}", its.waits->peer); }
            if (its.waited >= 0) {
                append(text, ", {:.1f} s", static_cast<double>(its.waited) / 1000);
            }
        }
        append(text, "\n");
    }
    return text;
}

/// From a rank that waits to the one that holds it up: one that does not wait, or one for whom the
/// chain has passed before.
rank_chain chain_from(flight const& of, int first) {
    rank_chain chain{first};
    for (;;) {
        auto const& waits = at(of, chain.back()).waits;
        if (!waits || waits->peer < 0 || waits->peer >= static_cast<int>(of.ranks.size())) {
            return chain;
        }
        auto const passed = std::find(chain.begin(), chain.end(), waits->peer) != chain.end();
        chain.push_back(waits->peer);
        if (passed) { return chain; }
    }
}

/// Why the last rank of a chain held up the one before it.
std::string reason(flight const& of, rank_chain const& chain) {
    auto const& its = at(of, chain.back());
    auto const& call = *at(of, chain[chain.size() - 2]).waits;
    std::string text;
    if (its.waits) {
        text = fmt::format("it waited in {}, for no rank in particular", step_of(*its.waits));
    } else if (call.is_pair()) {
        text = "it waited for nobody";
    } else if (its.entered < call.number) {
        text = fmt::format("it had not entered {} #{}", call.call, call.number);
    } else {
        text = fmt::format("it had entered {} #{}, and waited for nobody", call.call, call.number);
    }
    return text + (its.path.empty() ? "; it wrote no file" : "");
}

std::string held_up(flight const& of) {
    auto const size = static_cast<int>(of.ranks.size());
    std::map<int, rank_set> held;               // by the rank at the end of the chain
    std::map<int, rank_chain> longest;          // of these chains
    std::map<std::string, rank_chain> circles;  // by their members
    for (int r = 0; r < size; ++r) {
        auto const chain = chain_from(of, r);
        if (chain.size() < 2) { continue; }
        auto const again = std::find(chain.begin(), chain.end() - 1, chain.back());
        if (again != chain.end() - 1) {
            rank_set members(size);
            std::for_each(again, chain.end(), [&](int m) { members.insert(m); });
            circles.try_emplace(label(members), again, chain.end());
            continue;
        }
        held.try_emplace(chain.back(), size).first->second.insert(r);
        auto& most = longest[chain.back()];
        if (most.size() < chain.size()) { most = chain; }
    }
    std::string text = "Who held up whom\n";
    auto const draw = [&](rank_chain const& chain) {
        append(text, "    rank {}", chain.front());
        for (std::size_t k = 1; k < chain.size(); ++k) {
            append(text, " -> rank {} ({})", chain[k], step_of(*at(of, chain[k - 1]).waits));
        }
        append(text, "\n");
    };
    for (auto const& [members, circle] : circles) {
        append(text, "  ranks {} waited for each other\n", members);
        draw(circle);
    }
    for (auto const& [by, set] : held) {
        append(text, "  rank {} held up {}: {}\n", by, who(of, set), reason(of, longest[by]));
        draw(longest[by]);
    }
    if (circles.empty() && held.empty()) { append(text, "  no rank waited for another\n"); }
    return text;
}

}  // namespace

std::string as_text(flight const& of) {
    auto const files = set_of(of, [](auto const& r) { return !r.path.empty(); });
    auto text = fmt::format("Communicator {}: {} ranks, {} files\n", of.communicator,
                            of.ranks.size(), files.count());
    return text + failures(of) + last_calls(of) + "\n" + standings(of) + "\n" + held_up(of);
}

}  // namespace coll_show
