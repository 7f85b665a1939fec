// SPDX-License-Identifier: BSD-3-Clause
// Reads a recorded trace.
#include "trace_file.hpp"

#include "append.hpp"
#include "describe.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>

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
    result.rank = event.at("pid").get<int>();
    result.segment = args.at("segment").get<int>();
    result.step = {args.at("round").get<int>(),
                   verb_of(event.at("name").get<std::string>()),
                   args.at("peer").get<int>(),
                   {args.at("first_chunk").get<int>(), args.at("chunks").get<int>()}};
    result.bytes = args.at("bytes").get<std::uint64_t>();
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

/// A step as a thing to compare and to name.
using signature = std::tuple<int, int, int, int, int, int>;  // rank, round, verb, peer, chunks

signature signature_of(coll::rank_t rank, coll::step const& s) {
    return {rank,   s.round,        static_cast<int>(s.what),
            s.peer, s.chunks.first, s.chunks.count};
}

std::string text_of(signature const& s, int chunks) {
    auto const [rank, round, what, peer, first, count] = s;
    return fmt::format("rank {}, round {}: {} {} {}, chunks {}", rank, round,
                       coll::name(static_cast<coll::verb>(what)), what == 0 ? "to" : "from", peer,
                       label(coll::chunk_range{first, count}, chunks));
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
            auto const number = args.at("operation").get<std::int64_t>();
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
                others.empty() ? std::string("of no kind") : fmt::format("{}", fmt::join(others, ", "))));
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
    std::map<int, std::map<signature, int>> ran;  // per segment, how often
    for (auto const& t : trace.steps) { ++ran[t.segment][signature_of(t.rank, t.step)]; }
    int const chunks = shown.schedules[0].chunks;
    auto const differs = [&](std::string const& how, signature const& s) {
        return std::runtime_error(fmt::format("{} is not a trace of {}: {} {}", trace.path,
                                              shown.title(), how, text_of(s, chunks)));
    };
    for (auto& [segment, steps] : ran) {
        for (auto const& schedule : shown.schedules) {
            for (auto const& s : schedule.steps) {
                auto const it = steps.find(signature_of(schedule.rank, s));
                if (it == steps.end()) {
                    throw differs("it lacks", signature_of(schedule.rank, s));
                }
                if (--it->second == 0) { steps.erase(it); }
            }
        }
        if (!steps.empty()) { throw differs("besides, it has", steps.begin()->first); }
    }
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
