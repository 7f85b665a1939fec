// SPDX-License-Identifier: BSD-3-Clause
// Reads a recorded trace.
#include "trace_file.hpp"

#include "append.hpp"
#include "whole.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <compare>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

namespace coll_show {

namespace {

using json = nlohmann::json;

coll::verb verb_of(std::string const& slice) {
    for (auto const v : {coll::verb::send, coll::verb::recv_reduce, coll::verb::recv_copy}) {
        if (slice.rfind(std::string(coll::name(v)) + " ", 0) == 0) { return v; }
    }
    throw std::runtime_error("a slice is called \"" + slice + "\"");
}

timed_step step_of(json const& event) {
    auto const& args = event.at("args");
    timed_step result;
    result.rank = whole<int>(event.at("pid"));
    result.segment = whole<int>(args.at("segment"));
    result.step = {whole<int>(args.at("round")),
                   verb_of(event.at("name").get<std::string>()),
                   whole<int>(args.at("peer")),
                   {whole<int>(args.at("first_chunk")), whole<int>(args.at("chunks"))}};
    result.bytes = whole<std::uint64_t>(args.at("bytes"));
    result.begin = event.at("ts").get<double>();
    result.end = result.begin + event.at("dur").get<double>();
    return result;
}

json parse(std::string const& path) {
    std::ifstream file(path);
    if (!file) { throw std::runtime_error("cannot read " + path); }
    try {
        return json::parse(file);
    } catch (json::exception const& e) {
        throw std::runtime_error(path + " is no JSON: " + e.what());
    }
}

/// One chunk of a step. A transport may send a range in pieces, so chunks are what is compared.
struct part_of_step {
    coll::rank_t rank;
    int round;
    coll::verb what;
    coll::rank_t peer;
    int chunk;
    friend auto operator<=>(part_of_step const&, part_of_step const&) = default;
};

std::string text_of(part_of_step const& p) {
    return fmt::format("rank {}, round {}: {} {} {}, chunk {}", p.rank, p.round, coll::name(p.what),
                       p.what == coll::verb::send ? "to" : "from", p.peer, p.chunk);
}

/// Calls `take` with each chunk of a step.
void each_part(coll::rank_t rank, coll::step const& s, int chunks, auto&& take) {
    for (int i = 0; i < s.chunks.count; ++i) {
        take(part_of_step{rank, s.round, s.what, s.peer, (s.chunks.first + i) % chunks});
    }
}

}  // namespace

recorded_trace read_trace(std::string const& path, coll::collective what, std::int64_t operation) {
    auto const content = parse(path);
    recorded_trace result{path, operation, {}};
    try {
        std::map<std::int64_t, std::vector<timed_step>> found;
        std::set<std::int64_t> others;
        for (auto const& event : content.at("traceEvents")) {
            if (event.at("ph") != "X") { continue; }
            auto const& args = event.at("args");
            auto const number = whole<std::int64_t>(args.at("operation"));
            bool const wanted = args.at("collective") == coll::name(what);
            if (wanted && (operation < 0 || operation == number)) {
                found[number].push_back(step_of(event));
            } else {
                others.insert(number);
            }
        }
        if (found.empty()) {
            throw std::runtime_error(fmt::format(
                "no {}{}; it has operations {}", coll::name(what),
                operation < 0 ? std::string() : fmt::format(" that is operation {}", operation),
                others.empty() ? std::string("of no kind")
                               : fmt::format("{}", fmt::join(others, ", "))));
        }
        result.operation = found.rbegin()->first;
        result.steps = std::move(found.rbegin()->second);
    } catch (std::exception const& e) {
        throw std::runtime_error(path + " is not a trace of this: " + e.what());
    }
    std::stable_sort(result.steps.begin(), result.steps.end(),
                     [](auto const& a, auto const& b) { return a.begin < b.begin; });
    return result;
}

void expect_same(report const& shown, recorded_trace const& trace) {
    int const chunks = shown.schedules[0].chunks;
    std::map<int, std::map<part_of_step, int>> ran;  // per segment, how often
    for (auto const& t : trace.steps) {
        auto const& s = t.step;
        auto const [first, count] = s.chunks;
        auto& of = ran[t.segment];
        if (first < 0 || first >= chunks || count < 1 || count > chunks) {
            ++of[{t.rank, s.round, s.what, s.peer, chunks}];  // which the schedule does not have
        } else {
            each_part(t.rank, s, chunks, [&of](part_of_step const& p) { ++of[p]; });
        }
    }
    auto const differs = [&](std::string const& how, part_of_step const& p) {
        return std::runtime_error(fmt::format("{} is not a trace of {}: {} {}", trace.path,
                                              shown.title(), how, text_of(p)));
    };
    for (auto& [segment, parts] : ran) {
        for (auto const& schedule : shown.schedules) {
            for (auto const& s : schedule.steps) {
                each_part(schedule.rank, s, chunks, [&parts = parts, &differs](auto const& p) {
                    auto const it = parts.find(p);
                    if (it == parts.end()) { throw differs("it lacks", p); }
                    if (--it->second == 0) { parts.erase(it); }
                });
            }
        }
        if (!parts.empty()) { throw differs("besides, it has", parts.begin()->first); }
    }
}

std::size_t vector_bytes(report const& shown, recorded_trace const& trace) {
    if (shown.cost.total == 0) { return shown.bytes; }  // one rank, or a barrier
    double sent = 0;
    for (auto const& t : trace.steps) {
        if (t.step.what == coll::verb::send) { sent += static_cast<double>(t.bytes); }
    }
    auto const per_byte = static_cast<double>(shown.cost.total) / static_cast<double>(shown.bytes);
    return static_cast<std::size_t>(std::llround(sent / per_byte));
}

std::string times_as_text(recorded_trace const& trace) {
    struct span {
        double begin = 0;
        double end = 0;
        double longest = -1;
        coll::rank_t rank = 0;
    };
    std::map<int, span> rounds;
    for (auto const& t : trace.steps) {
        auto const [it, fresh] = rounds.try_emplace(t.step.round, span{t.begin, t.end, -1, 0});
        auto& round = it->second;
        round.begin = std::min(round.begin, t.begin);
        round.end = std::max(round.end, t.end);
        if (t.end - t.begin > round.longest) {
            round.longest = t.end - t.begin;
            round.rank = t.rank;
        }
    }
    auto const start = trace.steps.front().begin;
    std::string out = fmt::format("Times of operation {} in {}, in microseconds\n\n",
                                  trace.operation, trace.path);
    append(out, "  {:>5}{:>12}{:>12}{:>14}  {}\n", "round", "begins", "ends", "longest step", "by");
    for (auto const& [number, r] : rounds) {
        append(out, "  {:>5}{:>12.3f}{:>12.3f}{:>14.3f}  rank {}\n", number, r.begin - start,
               r.end - start, r.longest, r.rank);
    }
    return out;
}

}  // namespace coll_show
