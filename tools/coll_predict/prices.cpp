// SPDX-License-Identifier: BSD-3-Clause
#include "prices.hpp"

#include "simulated.hpp"

#include "../algorithms.hpp"
#include "../most_bytes.hpp"

#include <collectives/schedule/cost.hpp>
#include <collectives/select/cost_profile.hpp>
#include <collectives/select/hosts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <span>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace coll_predict {
namespace {

constexpr std::size_t unknowns = 4;
using vec = std::array<double, unknowns>;

/// The counted cost of an algorithm without a closed form, counted once for each question.
struct counted {
    std::vector<coll::schedule> all;
    double messages = 0;
};

counted const& count(coll::any_algorithm a, int size) {
    static std::map<std::pair<std::string, int>, counted> known;
    auto const [at, is_new] = known.try_emplace({coll::name(a), size});
    if (!is_new) { return at->second; }
    if (size > most_counted) {
        throw coll::usage_error(fmt::format("the steps of {} are counted for up to {} ranks",
                                            coll::name(a), most_counted));
    }
    auto const what = coll::collective::all_reduce;
    expect_right(a, size, what);
    at->second = {a.record_all(what, size), coll::detail::cost_profile::of(a, what, size).messages};
    return at->second;
}

vec amounts(coll::any_algorithm a, int size, std::int64_t bytes) {
    if (!a.is_automatic() && !a.states_its_sums()) {
        auto const& steps = count(a, size);
        auto const c = coll::cost_of(std::span(steps.all), static_cast<std::size_t>(bytes));
        return {static_cast<double>(c.rounds), steps.messages,
                static_cast<double>(c.critical.bytes), static_cast<double>(c.critical.reduced)};
    }
    auto const c = coll::closed_form(a, size, bytes);
    return {static_cast<double>(c.rounds), static_cast<double>(c.messages),
            static_cast<double>(c.bytes), static_cast<double>(c.reduced)};
}

double dot(vec const& a, vec const& b) {
    double sum = 0;
    for (std::size_t i = 0; i < unknowns; ++i) { sum += a[i] * b[i]; }
    return sum;
}

vec as_vec(prices const& p) { return {p.alpha, p.message, p.beta, p.gamma}; }

/// Rounds in which groups of consecutive ranks talk to each other: counted once for each question.
double rounds_between(coll::any_algorithm a, int size, int group) {
    static std::map<std::tuple<std::string, int, int>, int> known;
    auto const [at, is_new] = known.try_emplace({coll::name(a), size, group});
    if (!is_new) { return at->second; }
    if (size > most_counted) {
        throw coll::usage_error(fmt::format("groups are counted for up to {} ranks", most_counted));
    }
    std::vector<int> group_of;
    for (int r = 0; r < size; ++r) { group_of.push_back(r / group); }
    auto const all = a.record_all(coll::collective::all_reduce, size);
    at->second = coll::detail::crossing_of(all, coll::detail::host_layout(group_of)).rounds;
    return at->second;
}

/// Least squares with some unknowns held at 0, by Gauss's elimination of the normal equations,
/// whose rows and columns are scaled first: prices differ by many powers of ten.
vec solve(std::vector<vec> const& rows, unsigned used) {
    std::array<std::array<double, unknowns + 1>, unknowns> m{};
    vec scale{};
    for (auto const& r : rows) {
        for (std::size_t i = 0; i < unknowns; ++i) { scale[i] += r[i] * r[i]; }
    }
    for (auto& s : scale) { s = s > 0 ? 1 / std::sqrt(s) : 1; }
    auto const on = [&](std::size_t i) { return (used >> i & 1U) != 0; };
    for (std::size_t i = 0; i < unknowns; ++i) {
        if (!on(i)) {
            m[i][i] = 1;
            continue;
        }
        for (auto const& r : rows) {
            for (std::size_t j = 0; j < unknowns; ++j) {
                if (on(j)) { m[i][j] += r[i] * scale[i] * r[j] * scale[j]; }
            }
            m[i][unknowns] += r[i] * scale[i];
        }
    }
    for (std::size_t i = 0; i < unknowns; ++i) {
        std::size_t pivot = i;
        for (auto k = i; k < unknowns; ++k) {
            if (std::abs(m[k][i]) > std::abs(m[pivot][i])) { pivot = k; }
        }
        std::swap(m[i], m[pivot]);
        if (std::abs(m[i][i]) < 1e-12) { return {-1, -1, -1, -1}; }  // cannot be told apart
        for (std::size_t k = 0; k < unknowns; ++k) {
            if (k == i) { continue; }
            auto const f = m[k][i] / m[i][i];
            for (std::size_t j = i; j <= unknowns; ++j) { m[k][j] -= f * m[i][j]; }
        }
    }
    vec x{};
    for (std::size_t i = 0; i < unknowns; ++i) { x[i] = m[i][unknowns] / m[i][i] * scale[i]; }
    return x;
}

/// Of all choices of unknowns above 0 the one with the least error: there are only 15.
prices solve(std::vector<measured> const& known) {
    std::vector<vec> rows;
    for (auto const& k : known) {
        auto r = amounts(k.algorithm, k.size, k.bytes);
        for (auto& value : r) { value /= k.seconds; }
        rows.push_back(r);
    }
    vec best{};
    auto least = std::numeric_limits<double>::max();
    for (unsigned used = 1; used < 1U << unknowns; ++used) {
        auto const x = solve(rows, used);
        if (std::any_of(x.begin(), x.end(), [](double v) { return v < 0; })) { continue; }
        double error = 0;
        for (auto const& r : rows) { error += (dot(r, x) - 1) * (dot(r, x) - 1); }
        if (error < least) {
            least = error;
            best = x;
        }
    }
    return {best[0], best[1], best[2], best[3]};
}

}  // namespace

double seconds(coll::any_algorithm a, int size, std::int64_t bytes, prices const& p) {
    if (p.simulated) { return simulated_seconds(a, size, bytes, p); }
    auto const near = dot(amounts(a, size, bytes), as_vec(p));
    return p.group == 0 ? near : near + p.beyond * rounds_between(a, size, p.group);
}

fit fit_to(std::vector<measured> const& rows) {
    constexpr std::size_t parts = 4;
    if (rows.size() < 2 * parts) {
        throw std::runtime_error("there are too few measurements to fit prices to");
    }
    std::vector<double> errors;
    for (std::size_t part = 0; part < parts; ++part) {
        std::vector<measured> others;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (i % parts != part) { others.push_back(rows[i]); }
        }
        auto const p = solve(others);
        for (auto i = part; i < rows.size(); i += parts) {
            auto const& r = rows[i];
            errors.push_back(std::abs(seconds(r.algorithm, r.size, r.bytes, p) / r.seconds - 1));
        }
    }
    std::sort(errors.begin(), errors.end());
    return {solve(rows), rows.size(), errors[errors.size() / 2], errors.back()};
}

std::vector<std::string> out_of_order(std::vector<measured> const& rows, prices const& p,
                                      std::size_t& pairs) {
    std::vector<std::string> wrong;
    for (auto const& a : rows) {
        for (auto const& b : rows) {
            if (a.size != b.size || a.bytes != b.bytes) { continue; }
            auto const first = seconds(a.algorithm, a.size, a.bytes, p);
            auto const second = seconds(b.algorithm, b.size, b.bytes, p);
            if (second < 1.15 * first) { continue; }
            ++pairs;
            if (a.seconds < b.seconds) { continue; }
            wrong.push_back(fmt::format(
                "{} ranks, {} bytes: {} {:.1f} us (predicted {:.1f}), {} {:.1f} us ({:.1f})",
                a.size, a.bytes, coll::name(a.algorithm), a.seconds * 1e6, first * 1e6,
                coll::name(b.algorithm), b.seconds * 1e6, second * 1e6));
        }
    }
    return wrong;
}

std::vector<spread> spread_of(std::vector<measured> const& rows, prices const& p) {
    std::vector<std::pair<std::string, std::vector<double>>> found;  // in the order of the rows
    for (auto const& r : rows) {
        auto const name = coll::name(r.algorithm);
        auto at = std::find_if(found.begin(), found.end(),
                               [&](auto const& f) { return f.first == name; });
        if (at == found.end()) { at = found.insert(found.end(), {name, {}}); }
        at->second.push_back(r.seconds / seconds(r.algorithm, r.size, r.bytes, p));
    }
    std::vector<spread> list;
    for (auto& [name, ratios] : found) {
        std::sort(ratios.begin(), ratios.end());
        list.push_back({name, static_cast<int>(ratios.size()), ratios.front(),
                        ratios[ratios.size() / 2], ratios.back()});
    }
    return list;
}

std::vector<measured> read_measured(std::string const& file) {
    std::ifstream in(file);
    std::string line;
    if (!std::getline(in, line)) { throw std::runtime_error("cannot read " + file); }
    auto const cells_of = [](std::string const& text) {
        std::vector<std::string> cells;
        std::istringstream parts(text);
        for (std::string cell; std::getline(parts, cell, ',');) { cells.push_back(cell); }
        return cells;
    };
    auto const names = cells_of(line);
    std::vector<measured> rows;
    while (std::getline(in, line)) {
        auto const cells = cells_of(line);
        std::map<std::string, std::string> row;
        for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i) {
            row[names[i]] = cells[i];
        }
        auto const seconds = std::atof(row["median_us"].c_str()) / 1e6;
        auto const size = std::atoll(row["ranks"].c_str());
        auto const bytes = std::atoll(row["bytes"].c_str());
        auto const& name = row["algorithm"];
        if (row["collective"] != "all_reduce" || name == "automatic" || name == "its own" ||
            !(seconds > 0) || size < 2) {
            continue;
        }
        if (!std::isfinite(seconds)) {
            throw std::runtime_error(fmt::format("{}: '{}' is no time", file, row["median_us"]));
        }
        if (size > most_ranks || bytes < 0 || bytes > most_bytes) {
            throw std::runtime_error(
                fmt::format("{}: {} bytes over {} ranks cannot be predicted", file, bytes, size));
        }
        rows.push_back({coll::parse_algorithm(name), static_cast<int>(size), bytes, seconds});
    }
    return rows;
}

}  // namespace coll_predict
