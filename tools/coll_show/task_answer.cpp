// SPDX-License-Identifier: BSD-3-Clause
// Marks the answer in a result code by the library's own schedules, checker and cost.
#include "report.hpp"
#include "task_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <map>
#include <set>
#include <span>
#include <stdexcept>

namespace coll_show {
namespace {

using messages = std::map<coll::rank_t, std::set<int>>;  // the chunks by receiver

[[noreturn]] void unreadable() { throw std::runtime_error("the answer cannot be read"); }

/// The algorithm that the answer is about. The seed of a task for "any" chooses it on the page: the
/// answer names it in front, as in ring~3_0to1=4.
std::vector<coll::schedule> schedules_of(task_code const& code, std::string const& named) {
    auto const algorithm = find_algorithm(named);
    if (!algorithm.fits(code.size)) {
        throw std::runtime_error(fmt::format("{} is not for {} ranks", named, code.size));
    }
    return algorithm.record_all(code.what, code.size, 0);
}

/// What a rank sends in a round, and what is done with it: adds, copies, or both.
void collect(std::vector<coll::schedule> const& all, coll::rank_t rank, int round, messages& sent,
             std::set<coll::verb>& verbs) {
    auto const& own = all[static_cast<std::size_t>(rank)];
    for (auto const& s : own.steps) {
        if (s.round != round || s.what != coll::verb::send) { continue; }
        for (int c = 0; c < s.chunks.count; ++c) {
            sent[s.peer].insert((s.chunks.first + c) % own.chunks);
        }
        for (auto const& theirs : all[static_cast<std::size_t>(s.peer)].steps) {
            if (theirs.round == round && theirs.peer == rank && theirs.what != coll::verb::send) {
                verbs.insert(theirs.what);
            }
        }
    }
}

coll::rank_t rank_of(std::string_view text, int size) {
    int const rank = whole(text);
    if (rank >= size) { unreadable(); }
    return rank;
}

/// "3_0to1=4+5_2idle_adds"
std::string fault_of_prediction(task_code const& code, std::vector<coll::schedule> const& all,
                                std::vector<std::string> const& parts) {
    if (parts.size() < 3) { unreadable(); }
    int const round = whole(parts[0]);
    std::map<coll::rank_t, messages> answer;
    for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
        std::string_view const part = parts[i];
        if (part.ends_with("idle")) {
            answer[rank_of(part.substr(0, part.size() - 4), code.size)];
            continue;
        }
        auto const to = part.find("to"), is = part.find('=');
        if (to == part.npos || is == part.npos || is < to) { unreadable(); }
        auto& chunks = answer[rank_of(part.substr(0, to), code.size)]
                             [rank_of(part.substr(to + 2, is - to - 2), code.size)];
        for (auto const& c : parts_of(part.substr(is + 1), '+')) { chunks.insert(whole(c)); }
    }
    std::set<coll::verb> verbs;
    bool some = false;
    for (auto const& [rank, given] : answer) {
        messages sent;
        collect(all, rank, round, sent, verbs);
        if (sent != given) { return fmt::format("rank {} sends something else", rank); }
        some = some || !sent.empty();
    }
    if (!some) { return "none of these ranks sends in that round"; }
    auto const* const how = verbs.size() > 1                          ? "both"
                            : verbs.contains(coll::verb::recv_reduce) ? "adds"
                                                                      : "copies";
    return parts.back() == how ? "" : "the receivers do something else with it";
}

/// Changes one step, and says its new number; -1 where it is taken away.
int change(coll::lean_list<coll::step>& steps, std::string const& edit, std::size_t at, int value) {
    if (at >= steps.size()) { unreadable(); }
    auto s = steps[at];
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(at));
    if (edit == "drop") { return -1; }
    auto to = steps.begin() + static_cast<std::ptrdiff_t>(at);
    if (edit == "peer") {
        s.peer = value;
    } else if (edit == "chunk") {
        s.chunks.first = value;
    } else if (edit == "verb" && s.what != coll::verb::send) {
        s.what = s.what == coll::verb::recv_copy ? coll::verb::recv_reduce : coll::verb::recv_copy;
    } else if (edit == "round") {
        s.round = value;
        to = std::find_if(steps.begin(), steps.end(),
                          [&](auto const& o) { return o.round > value; });
    } else {
        unreadable();
    }
    return static_cast<int>(steps.insert(to, s) - steps.begin());
}

/// "peer_2_7_4_at_2_3_7": the change, then the place that was pointed at.
std::string fault_of_place(task_code const& code, std::vector<coll::schedule> all,
                           std::vector<std::string> const& parts) {
    if (parts.size() != 8 || parts[4] != "at") { unreadable(); }
    auto const rank = rank_of(parts[1], code.size);
    auto& steps = all[static_cast<std::size_t>(rank)].steps;
    auto const at = static_cast<std::size_t>(whole(parts[2]));
    if (at >= steps.size()) { unreadable(); }
    auto const was = steps[at];
    auto const now = change(steps, parts[0], at, whole(parts[3]));
    if (coll::check(std::span<coll::schedule const>(all)).ok) {
        return "the schedule with that change is right";
    }
    auto const pointed_rank = rank_of(parts[5], code.size);
    auto const round = whole(parts[6]);
    if (pointed_rank != rank) { return "the mistake is at another rank"; }
    if (parts[7] == "missing") {
        bool const gone = parts[0] == "drop" || parts[0] == "round";
        return gone && round == was.round ? "" : "no step is missing there";
    }
    auto const pointed = static_cast<std::size_t>(whole(parts[7]));
    bool const here = now >= 0 && pointed < steps.size() &&
                      steps[pointed] == steps[static_cast<std::size_t>(now)] &&
                      steps[pointed].round == round;
    return here ? "" : "that step is as it should be";
}

/// "6_100_any_PACKED"
std::string fault_of_build(task_code const& code, std::vector<std::string> const& parts) {
    if (parts.size() != 4 || (parts[2] != "ordered" && parts[2] != "any")) { unreadable(); }
    auto const all = unpacked(parts[3], code.what, code.size);
    std::span<coll::schedule const> const ranks(all);
    auto const proof = coll::check(ranks);
    if (!proof.ok) { return fmt::format("the schedule is wrong: {}", proof.what); }
    // As the page does: a vector that the ranks, and many chunks, divide.
    auto const cost = coll::cost_of(ranks, static_cast<std::uint64_t>(code.size) * 5040);
    if (cost.rounds > whole(parts[0])) { return fmt::format("it takes {} rounds", cost.rounds); }
    auto const most = cost.bound.sent * static_cast<std::uint64_t>(whole(parts[1]));
    if (cost.busiest.sent * 100 > most) { return "it sends more bytes"; }
    return parts[2] == "ordered" && !proof.order_preserving ? "it does not keep the order" : "";
}

}  // namespace

std::string fault_of_answer(task_code const& code) {
    auto const named = code.answer.find('~');
    auto const algorithm =
        named == code.answer.npos ? code.algorithm : code.answer.substr(0, named);
    if (code.algorithm != "any" && algorithm != code.algorithm) { unreadable(); }
    auto const parts =
        parts_of(named == code.answer.npos ? code.answer : code.answer.substr(named + 1), '_');
    if (code.kind == "build") { return fault_of_build(code, parts); }
    if (code.kind != "predict" && code.kind != "bug") {
        throw std::runtime_error("there is no task " + code.kind);
    }
    auto all = schedules_of(code, algorithm);
    return code.kind == "predict" ? fault_of_prediction(code, all, parts)
                                  : fault_of_place(code, std::move(all), parts);
}

namespace {

verified_code verify_readable(std::string_view text) {
    auto const code = read_code(text);
    auto const fault = fault_of_answer(code);
    auto const parts = parts_of(code.answer, '_');
    auto result = fmt::format("student  {}\ntask     {} {}, {} over {} ranks, seed {}\n",
                              code.student.empty() ? "(no name)" : code.student, code.kind,
                              code.algorithm, coll::name(code.what), code.size, code.seed);
    if (code.kind == "build" && parts.size() == 4) {
        result +=
            fmt::format("goal     at most {} rounds and {:.2f} times the bound{}\n", parts[0],
                        whole(parts[1]) / 100.0, parts[2] == "ordered" ? ", order-preserving" : "");
    }
    result += fmt::format(
        "tries    {}\nseed     {}\nanswer   {}\n", code.tries,
        code.own_seed() ? "of this name" : "not of this name: set by the link, or another's",
        fault.empty() ? "right" : "wrong: " + fault);
    return {fault.empty(), result};
}

}  // namespace

verified_code verify(std::string_view text) {
    try {
        return verify_readable(text);
    } catch (std::exception const& e) { return {false, fmt::format("refused  {}\n", e.what())}; }
}

}  // namespace coll_show
