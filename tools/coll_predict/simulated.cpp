// SPDX-License-Identifier: BSD-3-Clause
#include "simulated.hpp"

#include "../algorithms.hpp"

#include <collectives/schedule/simulate.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace coll_predict {
namespace {

using schedules = std::vector<coll::schedule>;

schedules const& steps_of(coll::any_algorithm a, int size) {
    static std::map<std::pair<std::string, int>, schedules> known;
    std::pair const key(coll::name(a), size);
    auto const at = known.find(key);
    if (at != known.end()) { return at->second; }
    expect_right(a, size);
    return known.emplace(key, a.record_all(coll::collective::all_reduce, size)).first->second;
}

void expect_ranks(coll::loggp const& network, int size) {
    auto const expect = [size](int rank) {
        if (rank >= size) {
            throw coll::usage_error(fmt::format("there is no rank {} of {}", rank, size));
        }
    };
    expect(static_cast<int>(network.late.size()) - 1);
    for (auto const& link : network.slow) {
        expect(link.from);
        expect(link.to);
    }
}

/// Takes a rank off the front of the text, and the mark behind it.
int rank_before(char mark, std::string_view& text, std::string_view whole) {
    int rank = -1;
    auto const* const end = text.data() + text.size();
    auto const [rest, fault] = std::from_chars(text.data(), end, rank);
    if (fault != std::errc() || rank < 0 || rank >= most_counted || rest == end || *rest != mark) {
        throw coll::usage_error(fmt::format("\"{}\" has no rank from 0 to {} before {}", whole,
                                            most_counted - 1, mark));
    }
    text.remove_prefix(static_cast<std::size_t>(rest + 1 - text.data()));
    return rank;
}

double number(std::string_view text, double least, std::string_view whole) {
    std::string const digits(text);
    char* end = nullptr;
    auto const value = std::strtod(digits.c_str(), &end);
    if (digits.empty() || end != digits.c_str() + digits.size() ||
        !(value >= least && value <= 1e6)) {
        throw coll::usage_error(
            fmt::format("\"{}\": \"{}\" is not from {:g} to 1e+06", whole, text, least));
    }
    return value;
}

}  // namespace

double simulated_seconds(coll::any_algorithm a, int size, std::int64_t bytes, prices const& p) {
    if (size > most_counted) {
        throw coll::usage_error(
            fmt::format("steps are simulated for up to {} ranks", most_counted));
    }
    expect_ranks(*p.simulated, size);
    auto network = *p.simulated;
    network.latency = p.alpha;
    network.overhead = p.message / 2;
    network.byte = p.beta;
    network.added = p.gamma;
    static std::map<std::pair<std::string, std::vector<double>>, double> known;
    std::vector<double> asked{static_cast<double>(size),
                              static_cast<double>(bytes),
                              network.latency,
                              network.overhead,
                              network.gap,
                              network.byte,
                              network.added};
    asked.insert(asked.end(), network.late.begin(), network.late.end());
    for (auto const& link : network.slow) {
        asked.insert(asked.end(), {-1.0 - link.from, -1.0 - link.to, link.factor});
    }
    std::pair const key(coll::name(a), asked);
    auto const at = known.find(key);
    if (at != known.end()) { return at->second; }
    auto const run = coll::simulate(steps_of(a, size), static_cast<std::uint64_t>(bytes), network);
    return known.emplace(key, run.total).first->second;
}

void add_late(coll::loggp& network, std::string const& text) {
    std::string_view rest = text;
    auto const rank = static_cast<std::size_t>(rank_before(':', rest, text));
    auto const seconds = number(rest, 0, text);
    if (network.late.size() <= rank) { network.late.resize(rank + 1); }
    network.late[rank] += seconds;
}

void add_slow(coll::loggp& network, std::string const& text) {
    std::string_view rest = text;
    auto const from = rank_before('-', rest, text);
    auto const to = rank_before(':', rest, text);
    if (from == to) { throw coll::usage_error(fmt::format("\"{}\" is no link", text)); }
    network.slow.push_back({from, to, number(rest, 1, text)});
}

}  // namespace coll_predict
