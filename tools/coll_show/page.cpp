// SPDX-License-Identifier: BSD-3-Clause
// The explorer's page, with what it is to show at first.
#include "outputs.hpp"
#include "text.hpp"
#include "trace_file.hpp"

#include <collectives/algorithm/all.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace coll_show {

namespace {

using json = nlohmann::json;

constexpr int most_ranks = 256;  // of the explorer

bool is_of_the_library(std::string const& name) {
    auto const base = name.substr(0, name.find(':'));
    return std::ranges::count(coll::algorithm_names, base) > 0 ||
           base == coll::hierarchical::name || base == coll::leaders::name;
}

/// The steps of an algorithm that the page does not have, for the ranks shown.
json own_of(report const& shown) {
    json steps = json::array();
    for (auto const& own : shown.schedules) {
        for (auto const& s : own.steps) {
            for (int const i : {own.rank, s.round, static_cast<int>(s.what), s.peer, s.chunks.first,
                                s.chunks.count}) {
                steps.push_back(i);
            }
        }
    }
    return {{"name", shown.name},
            {"collective", coll::name(shown.what)},
            {"ranks", shown.size},
            {"root", shown.root},
            {"chunks", shown.schedules[0].chunks},
            {"rounds", shown.schedules[0].rounds},
            {"steps", steps}};
}

std::string file_name(std::string const& path) { return path.substr(path.find_last_of('/') + 1); }

/// The operation shown, as `write_chrome_trace` wrote it.
json trace_of(report const& shown, recorded_trace const& trace) {
    json events = json::array();
    for (auto const& t : trace.steps) {
        bool const sends = t.step.what == coll::verb::send;
        events.push_back({{"ph", "X"},
                          {"name", fmt::format("{} {} {}", coll::name(t.step.what),
                                               sends ? "to" : "from", t.step.peer)},
                          {"pid", t.rank},
                          {"tid", sends ? 0 : 1},
                          {"ts", t.begin},
                          {"dur", t.end - t.begin},
                          {"args",
                           {{"collective", coll::name(shown.what)},
                            {"operation", trace.operation},
                            {"segment", t.segment},
                            {"round", t.step.round},
                            {"peer", t.step.peer},
                            {"first_chunk", t.step.chunks.first},
                            {"chunks", t.step.chunks.count},
                            {"bytes", t.bytes}}}});
    }
    return {{"file", file_name(trace.path)},
            {"text", json{{"traceEvents", events}}.dump(-1, ' ', true)}};
}

json source_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    std::string const text(std::istreambuf_iterator<char>(file), {});
    if (!file) { throw std::runtime_error("cannot read " + path); }
    return {{"file", file_name(path)}, {"text", text}};
}

std::string fragment_of(report const& shown, report const* beside) {
    auto text = fmt::format("#algorithm={}{}&ranks={}&collective={}", shown.name,
                            beside == nullptr ? "" : "," + beside->name, shown.size,
                            coll::name(shown.what));
    if (coll::is_rooted(shown.what)) { text += fmt::format("&root={}", shown.root); }
    if (shown.bytes > 0) { text += fmt::format("&bytes={}", shown.bytes); }
    return text;
}

void replace(std::string& page, std::string_view mark, std::string const& text) {
    auto const at = page.rfind(mark);
    if (at == page.npos) {
        throw std::runtime_error(fmt::format("the explorer's page has no {}", mark));
    }
    page.replace(at, mark.size(), text);
}

std::string for_html(std::string const& text) {
    std::string out;
    for (char const c : text) {
        out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    }
    return out;
}

/// JSON that may stand inside a script element.
std::string for_script(json const& data) {
    std::string out;
    for (char const c : data.dump(-1, ' ', true, json::error_handler_t::replace)) {
        out += c == '<' ? "\\u003c" : std::string(1, c);
    }
    return out;
}

}  // namespace

std::string as_page(report const& shown, report const* beside, recorded_trace const* trace,
                    std::vector<std::string> const& loaded) {
    std::string page(explorer_page());
    if (page.empty()) {
        throw bad_usage(
            "--html: this coll_show was built without the explorer's page (docs/explorer.md says "
            "what makes it)");
    }
    if (shown.size > most_ranks) {
        throw bad_usage(fmt::format("--html: the page shows at most {} ranks", most_ranks));
    }
    json own = json::array();
    for (auto const* const one : {&shown, beside}) {
        if (one != nullptr && !is_of_the_library(one->name)) { own.push_back(own_of(*one)); }
    }
    json sources = json::array();
    if (!own.empty()) {
        for (auto const& path : loaded) { sources.push_back(source_of(path)); }
    }
    json const given{{"state", fragment_of(shown, beside)},
                     {"own", own},
                     {"sources", sources},
                     {"trace", trace == nullptr ? json() : trace_of(shown, *trace)}};
    auto title = shown.title();
    if (beside != nullptr) { title.insert(shown.name.size(), " and " + beside->name); }
    replace(page, "<title>Collectives explorer</title>", "<title>" + for_html(title) + "</title>");
    replace(page, "id=\"given\">null<", "id=\"given\">" + for_script(given) + "<");
    replace(page, "</noscript>",
            "<pre>" + for_html(as_text(shown, beside, {})) + "</pre></noscript>");
    return page;
}

}  // namespace coll_show
