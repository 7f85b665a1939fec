// SPDX-License-Identifier: BSD-3-Clause
// Lowering writes the plans that the executors run today: the same messages, places and brackets.
#include <unit/plan_cases.hpp>

#include <collectives/executor/program.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using namespace plan_cases;

namespace {

struct pair_of_protocols {
    pl::protocol now;
    coll::passage before;
};
constexpr pair_of_protocols alike[] = {{pl::protocol::eager, coll::passage::messages},
                                       {pl::protocol::stream_reduce, coll::passage::consumed},
                                       {pl::protocol::zero_copy, coll::passage::direct},
                                       {pl::protocol::staged, coll::passage::staged},
                                       {pl::protocol::staged_once, coll::passage::apart},
                                       {pl::protocol::staged_results, coll::passage::relayed}};

std::string text(int where, std::size_t offset) {
    return std::to_string(where) + "+" + std::to_string(offset);
}
std::string text(coll::place p) { return text(static_cast<int>(p.where), p.offset); }
std::string text(pl::place const& p) { return text(static_cast<int>(p.where), p.offset); }

/// Of each reduction its bytes, its sources in order and where it goes.
std::vector<std::string> folds_of(coll::plan const& p) {
    std::vector<std::string> result;
    for (auto const& f : p.folds) {
        if (f.bytes == 0) { continue; }
        auto line = std::to_string(f.bytes) + (f.completes ? "!" : "") + " to " + text(f.to) +
                    (f.stages ? " and " + text(f.staged) : "");
        for (int k = 0; k < f.sources; ++k) {
            auto const& s = p.sources[static_cast<std::size_t>(f.first_source + k)];
            if (s.transfer < 0) {
                line += " own " + text(f.own);
            } else {
                auto const peer = p.receives[static_cast<std::size_t>(s.transfer)].peer;
                line += " of " + std::to_string(peer);
            }
        }
        result.push_back(line);
    }
    std::sort(result.begin(), result.end());
    return result;
}
std::vector<std::string> folds_of(pl::plan const& p, coll::plan const& old) {
    std::vector<std::string> result;
    for (std::size_t at = 0; at < p.program.size(); ++at) {
        auto const& i = p.program[at];
        if (i.what != pl::opcode::reduce) { continue; }
        auto line = std::to_string(i.bytes) + (i.completes ? "!" : "");
        char const* to = " to ";
        for (int k = i.destinations.first; k < i.destinations.last; ++k) {
            auto const& d = p.destinations[static_cast<std::size_t>(k)].to;
            if (d.peer >= 0) { continue; }  // pushed
            line += std::exchange(to, " and ") + text(d);
        }
        // Over messages a source is a place where something has landed: say from whom.
        auto const landed = [&](pl::place const& s) -> int {
            for (auto const& t : old.receives) {
                if (t.round == i.round && t.action == coll::verb::recv_reduce && !t.consumable &&
                    static_cast<int>(t.at.where) == static_cast<int>(s.where) &&
                    s.offset >= t.at.offset && s.offset < t.at.offset + t.bytes) {
                    return t.peer;
                }
            }
            return -1;
        };
        for (int k = i.sources.first; k < i.sources.last; ++k) {
            auto const& s = p.sources[static_cast<std::size_t>(k)];
            if (s.where == pl::memory::offer) {
                line += " of " + std::to_string(s.peer);
            } else if (s.where == pl::memory::message) {
                for (auto j = at; j-- > 0;) {
                    if (p.program[j].what == pl::opcode::receive &&
                        p.program[j].number == s.number) {
                        line += " of " + std::to_string(p.program[j].peer);
                        break;
                    }
                }
            } else if (auto const peer =
                           pl::backend_of(p.shown.how) == pl::backend::messages ? landed(s) : -1;
                       peer >= 0) {
                line += " of " + std::to_string(peer);
            } else {
                line += " own " + text(s);
            }
        }
        result.push_back(line);
    }
    std::sort(result.begin(), result.end());
    return result;
}

std::vector<std::string> sends_of(coll::plan const& p) {
    std::vector<std::string> result;
    for (auto const& s : p.sends) {
        result.push_back(std::to_string(s.peer) + " " + text(s.at) + " " + std::to_string(s.bytes));
    }
    return result;
}
std::vector<std::string> sends_of(pl::plan const& p) {
    std::vector<std::string> result;
    for (auto const& o : p.offers) {
        result.push_back(std::to_string(o.to) + " " + text(o.at) + " " + std::to_string(o.bytes));
    }
    for (auto const& i : p.program) {
        if (i.what != pl::opcode::send) { continue; }
        auto const& at = p.sources[static_cast<std::size_t>(i.sources.first)];
        result.push_back(std::to_string(i.peer) + " " + text(at) + " " + std::to_string(i.bytes));
    }
    return result;
}

coll::call_shape old_shape(low::call_shape const& s, coll::rank_t rank, bool in_place) {
    coll::call_shape result;
    result.what = s.what;
    result.size = s.size;
    result.rank = rank;
    result.root = s.root;
    result.count = s.count;
    result.elem_size = s.elem_size;
    result.in_place = in_place;
    return result;
}

/// Where the peers of a plan keep what it reads, as the executors find it and as `resolve` does.
void compare_resolution(low::lowered_call const& c, coll::program& old, coll::rank_t me,
                        low::rank_choice const& as, int segment) {
    std::vector<pl::peer_view> views;
    for (coll::rank_t r = 0; r < c.shape().size; ++r) {
        views.push_back(c.offers_of(r, as, segment));
    }
    auto const passage = alike[static_cast<std::size_t>(as.shown.how)].before;
    auto const& places = old.remote(segment, {as.shown.in_place, passage, false});
    auto const& receives = old.steps(segment, passage).receives;
    std::vector<int> next(views.size());
    for (std::size_t i = 0; i < receives.size(); ++i) {
        auto const peer = receives[i].peer;
        auto const number = next[static_cast<std::size_t>(peer)]++;
        auto const found = pl::resolve({pl::memory::offer, peer, number, 0}, me, views);
        CHECK(text(found) == text(places[i]));
    }
}

}  // namespace

TEST_CASE("lowering does what the executors do: messages, places, brackets, scratch") {
    auto const largest = all_cases() ? largest_size() : std::min(7, largest_size());
    int plans = 0;
    for (auto const a : coll::all_algorithms) {
        for (auto const what : coll::scheduled_collectives) {
            for (int size = 2; size <= largest; ++size) {
                for (int const variant : {0, 1, 2, 3}) {
                    auto const p = static_cast<std::size_t>(size);
                    auto const count = variant == 0 ? 16 * p + 5 : variant == 1 ? p - 1 : 40 * p;
                    low::lowered_call const c(a, shape_of(what, size, count, size - 1),
                                              variant == 3 ? 3 : 1);
                    for (auto const& [now, before] : alike) {
                        for (bool const asked : {false, true}) {
                            auto const in_place = asked || what == collective::broadcast;
                            auto const as = choice_of(now, in_place);
                            auto const me = static_cast<coll::rank_t>(plans % size);
                            auto const segment = plans % c.segments();
                            coll::program old(old_shape(c.shape(), me, in_place), a, c.segments(),
                                              {});
                            auto const& was = old.steps(segment, before);
                            auto const is = c.lower(me, as, segment);
                            CAPTURE(described(a, c, as));
                            CAPTURE(me);
                            CHECK(is.scratch == was.scratch);
                            CHECK(sends_of(is) == sends_of(was));
                            CHECK(folds_of(is, was) == folds_of(was));
                            if (pl::backend_of(now) == pl::backend::memory) {
                                compare_resolution(c, old, me, as, segment);
                            }
                            ++plans;
                        }
                    }
                }
            }
        }
    }
    MESSAGE("plans compared: " << plans);
}
