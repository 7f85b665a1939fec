// SPDX-License-Identifier: BSD-3-Clause
// What a launch is asked to measure, in a form that can be handed to another program.
#pragma once

#include "cores.hpp"
#include "kinds.hpp"

#include <array>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace coll_perf {

/// How a launch measures. Equal for ours and for the peers.
struct settings {
    int ranks = 2;
    int iterations = 20;
    int warmup = 5;
    double budget = 0;        ///< seconds that the iterations of a case may take; 0: no limit
    bool check = true;        ///< compare the results with a serial model
    bool controls = false;    ///< copies and round trips beside each sample
    bool bound = false;       ///< what ranks send, and the rate of their links
    bool loop = false;        ///< a bare loop that moves the same messages
    bool trace = false;       ///< one more call, whose steps are recorded
    bool cold = false;        ///< other memory in each call
    bool touch = false;       ///< inputs are written and results read between the calls
    std::size_t offset = 0;   ///< bytes of its first page that lie before each vector
    bool allocated = false;   ///< memory of communicator::allocate
    int tests = 0;            ///< looks at a started call while the rank computes
    bool background = false;  ///< a started call goes on by itself
    int tensors = 64;         ///< vectors that a fusion buffer gets before it is flushed
    std::size_t threshold = std::size_t{64} << 20;  ///< of the fusion buffer, bytes
    std::vector<binding::place> places;             ///< of the ranks; none: they are not bound
};

/// One measurement: a collective on so many elements.
struct measured_case {
    std::string collective = "all_reduce";
    std::string algorithm = "automatic";
    std::string type = "float";
    std::string op = "sum";
    int root = 0;
    std::size_t count = 0;    ///< elements of the whole vector
    std::size_t element = 4;  ///< bytes of an element
    bool in_place = false;
    int batch = 1;  ///< calls between two looks at the clock

    std::size_t bytes() const { return count * element; }
    /// What tables call the operator: what only moves has none.
    std::string shown_op() const { return kind::of(collective).reduces() ? op : "none"; }
};

inline std::string as_text(settings const& s) {
    std::ostringstream out;
    out << s.ranks << ' ' << s.iterations << ' ' << s.warmup << ' ' << s.budget << ' ' << s.check
        << ' ' << s.controls << ' ' << s.cold << ' ' << s.allocated << ' ' << s.touch << ' '
        << s.offset << ' ' << s.tests << ' ' << s.background << ' ' << s.tensors << ' '
        << s.threshold << ' ' << s.bound << ' ' << s.loop << ' ' << s.trace;
    for (auto const& p : s.places) { out << ' ' << text_of(p.processors); }
    return out.str();
}

inline std::string as_text(measured_case const& c) {
    std::ostringstream out;
    out << c.collective << ' ' << c.algorithm << ' ' << c.type << ' ' << c.op << ' ' << c.root
        << ' ' << c.count << ' ' << c.element << ' ' << c.in_place << ' ' << c.batch;
    return out.str();
}

inline settings settings_of(std::string const& text) {
    std::istringstream in(text);
    settings s;
    in >> s.ranks >> s.iterations >> s.warmup >> s.budget >> s.check >> s.controls >> s.cold >>
        s.allocated >> s.touch >> s.offset >> s.tests >> s.background >> s.tensors >> s.threshold >>
        s.bound >> s.loop >> s.trace;
    bool right = !in.fail();
    for (std::string list; in >> list;) {
        s.places.push_back({{}, "processors " + list});
        right = right && read_processors(list, s.places.back().processors);
    }
    if (!right || (!s.places.empty() && s.places.size() != static_cast<std::size_t>(s.ranks))) {
        throw std::runtime_error("no settings: " + text);
    }
    return s;
}

inline measured_case case_of(std::string const& text) {
    std::istringstream in(text);
    measured_case c;
    in >> c.collective >> c.algorithm >> c.type >> c.op >> c.root >> c.count >> c.element >>
        c.in_place >> c.batch;
    if (!in) { throw std::runtime_error("no case: " + text); }
    return c;
}

/// What a call moves, and what a link could have moved meanwhile.
struct traffic {
    double sent = -1;      ///< bytes, by the rank that sends most; -1: not counted
    double messages = -1;  ///< of the rank that sends most of them
    double link = 0;       ///< bytes per nanosecond, each way; 0: not measured
    double hosts = 0;      ///< whose ranks share a link; 0: each rank has its own

    static traffic of(std::vector<double> const& list) {
        return list.size() == 4 ? traffic{list[0], list[1], list[2], list[3]} : traffic{};
    }
};

/// What a launch found out about one case, in nanoseconds per call.
struct case_result {
    std::size_t index = 0;  ///< which of the launch's cases
    std::size_t wrong = 0;  ///< elements, over all ranks
    int pinned = 0;         ///< ranks that ran on one core alone
    std::vector<double> samples, copies, copies_past_cache, round_trips;
    std::vector<double> ranks;    ///< each rank's own mean
    std::vector<double> overlap;  ///< nothing, or the share hidden, the whole, the work in it
    std::vector<double> traffic;  ///< nothing, or what `traffic` holds, in its order
    std::string missing;          ///< why there are no samples
    std::vector<double> loops;    ///< of the bare loop, one a sample

    std::array<std::vector<double>*, 8> lists() {
        return {&samples, &copies,  &copies_past_cache, &round_trips,
                &ranks,   &overlap, &traffic,           &loops};
    }
};

inline constexpr std::string_view result_mark = "coll_perf-result";

/// One line, without its end.
inline std::string as_text(case_result r) {
    std::ostringstream out;
    out.precision(9);
    out << result_mark << ' ' << r.index << ' ' << r.wrong << ' ' << r.pinned;
    for (auto const* const list : r.lists()) {
        out << ' ' << list->size();
        for (double const t : *list) { out << ' ' << t; }
    }
    out << ' ' << r.missing;
    return out.str();
}

/// False where a line is no result.
inline bool read_result(std::string const& line, case_result& r) {
    std::istringstream in(line);
    std::string mark;
    if (!(in >> mark) || mark != result_mark) { return false; }
    in >> r.index >> r.wrong >> r.pinned;
    for (auto* const list : r.lists()) {
        std::size_t n = 0;
        if (!(in >> n) || n > line.size()) { return false; }
        list->resize(n);
        for (double& t : *list) { in >> t; }
    }
    if (!in) { return false; }
    std::getline(in >> std::ws, r.missing);
    return true;
}

}  // namespace coll_perf
