// SPDX-License-Identifier: BSD-3-Clause
#include "traces.hpp"

#include "statistics.hpp"

#include <collectives/schedule/trace.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>

namespace coll_perf {
namespace {

constexpr std::string_view trace_mark = "coll_perf-trace";

/// All members of an event, each as a number.
template <class Event, class Visit>
void each_number(Event& e, Visit const& visit) {
    visit(e.begin_ns);
    visit(e.end_ns);
    visit(e.bytes);
    visit(e.operation);
    visit(e.rank);
    visit(e.peer);
    visit(e.round);
    visit(e.segment);
    visit(e.chunks.first);
    visit(e.chunks.count);
}

}  // namespace

std::string as_text(traced_call const& call) {
    std::ostringstream out;
    out << trace_mark << ' ' << call.index << ' ' << call.events.size();
    for (auto const& e : call.events) {
        each_number(e, [&](auto value) { out << ' ' << value; });
        out << ' ' << static_cast<int>(e.what) << ' ' << static_cast<int>(e.action);
    }
    return out.str();
}

bool read_traced(std::string const& line, traced_call& call) {
    std::istringstream in(line);
    std::string mark;
    std::size_t n = 0;
    if (!(in >> mark >> call.index >> n) || mark != trace_mark || n > line.size()) { return false; }
    call.events.resize(n);
    for (auto& e : call.events) {
        int what = 0, action = 0;
        each_number(e, [&](auto& value) { in >> value; });
        in >> what >> action;
        e.what = static_cast<collectives::collective>(what);
        e.action = static_cast<collectives::verb>(action);
    }
    return !in.fail();
}

void traces::add(traced_call call, std::string const& transport, measured_case const& what,
                 double took) {
    if (call.events.empty()) { return; }
    auto const begins = [](auto const& a, auto const& b) { return a.begin_ns < b.begin_ns; };
    auto const ends = [](auto const& a, auto const& b) { return a.end_ns < b.end_ns; };
    auto const first = std::min_element(call.events.begin(), call.events.end(), begins)->begin_ns;
    auto const last = std::max_element(call.events.begin(), call.events.end(), ends)->end_ns;
    auto const long_ns = last - first;
    if (took > 0) { costs_.push_back(static_cast<double>(long_ns) / took); }
    for (auto e : call.events) {
        e.begin_ns += end_ns_ - first;
        e.end_ns += end_ns_ - first;
        e.operation = static_cast<std::uint32_t>(names_.size());
        events_.push_back(e);
    }
    end_ns_ += long_ns + long_ns / 10 + 1000;  // a gap, so that one sees where the next begins
    names_.push_back(fmt::format("{}, {}, {}, {}, {}, {} bytes{}", transport, what.collective,
                                 what.algorithm, what.type, what.shown_op(), what.bytes(),
                                 what.in_place ? ", in place" : ""));
}

double traces::cost() const { return quantile(costs_, 0.5); }

std::string traces::as_chrome_trace() const {
    std::map<std::uint32_t, std::string> names;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        names.emplace(static_cast<std::uint32_t>(i), names_[i]);
    }
    std::ostringstream out;
    collectives::write_chrome_trace(out, events_, names);
    return out.str();
}

}  // namespace coll_perf
