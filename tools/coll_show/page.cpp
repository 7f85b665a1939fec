// SPDX-License-Identifier: BSD-3-Clause
// Puts the page together: its frame, style and script, and the data they show.
#include "append.hpp"
#include "describe.hpp"
#include "outputs.hpp"
#include "page_css.hpp"
#include "page_grid.hpp"
#include "page_html.hpp"
#include "page_model.hpp"
#include "page_player.hpp"
#include "page_text.hpp"
#include "page_timeline.hpp"
#include "text.hpp"
#include "trace_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <unordered_map>

namespace coll_show {

namespace {

using json = nlohmann::json;

constexpr std::size_t most_moves = 300000;  // beyond that a browser is no help to a reader

/// Every set of ranks once; cells name them by number.
class set_table {
public:
    int number(rank_set const& set) {
        auto name = label(set);
        auto const [at, fresh] = numbers_.try_emplace(name, static_cast<int>(sets_.size()));
        if (fresh) { sets_.push_back({std::move(name), set.count()}); }
        return at->second;
    }
    json const& sets() const { return sets_; }

private:
    std::unordered_map<std::string, int> numbers_;
    json sets_ = json::array();
};

json round_of(simulation const& sim, set_table& sets) {
    json moves = json::array();
    for (auto const& t : sim.transfers(sim.round())) {
        moves.push_back({t.from, t.to, t.received.first, t.received.count, t.adds, t.sent.first});
    }
    json cells = json::array();
    for (auto const& [place, adds] : sim.changed()) {
        cells.push_back({place.first * sim.chunks() + place.second,
                         sets.number(sim.at(place.first, place.second).held), adds});
    }
    json fades = json::array();
    for (auto const& [rank, chunk] : sim.faded()) { fades.push_back(rank * sim.chunks() + chunk); }
    return {
        {"says", describe(sim, sim.round())}, {"moves", moves}, {"cells", cells}, {"fades", fades}};
}

std::string verdict(coll::proof const& p) {
    return p.ok ? "correct"
                : fmt::format("WRONG: {} (rank {}, round {}, chunk {})", p.what, p.rank, p.round,
                              p.chunk);
}

json panel_of(report const& shown) {
    simulation sim(shown.schedules);
    set_table sets;
    json start = json::array();
    json faded = json::array();
    for (int r = 0; r < sim.size(); ++r) {
        for (int c = 0; c < sim.chunks(); ++c) {
            start.push_back(sets.number(sim.at(r, c).held));
            if (!sim.at(r, c).live) { faded.push_back(r * sim.chunks() + c); }
        }
    }
    json whole = json::array();  // of each rank, where ranks reduce: the set of a full share
    for (int r = 0; coll::reduces(shown.what) && r < sim.size(); ++r) {
        whole.push_back(sets.number(sim.whole(r, 0)));
    }
    json rounds = json::array();
    while (sim.round() + 1 < sim.rounds()) {
        sim.advance();
        rounds.push_back(round_of(sim, sets));
    }
    json bytes = json::array();
    for (int c = 0; c < sim.chunks(); ++c) { bytes.push_back(sim.chunk_bytes(shown.bytes, c)); }
    json cost = json::array();
    for (auto const& line : cost_lines(shown)) {
        cost.push_back({line.name, line.counted, line.has_bound ? json(line.bound) : json()});
    }
    json found = json::array();
    for (auto const& p : properties(shown)) { found.push_back({p.holds, p.name, p.meaning}); }
    return {{"name", shown.name},
            {"chunks", sim.chunks()},
            {"chunk_bytes", bytes},
            {"whole", whole},
            {"sets", sets.sets()},
            {"start", start},
            {"start_faded", faded},
            {"rounds", rounds},
            {"cost", cost},
            {"bound_sent", shown.cost.bound.sent},
            {"proof",
             {{"text", verdict(shown.proof)},
              {"means", shown.proof.ok ? proof_means(shown) : std::string()},
              {"properties", found}}}};
}

json trace_of(report const& shown, recorded_trace const& trace) {
    json steps = json::array();
    int const chunks = shown.schedules[0].chunks;
    for (auto const& t : trace.steps) {
        auto const what = chunks == 1 ? std::string("the vector")
                                      : fmt::format("{}{} {}", part_of(shown.what),
                                                    t.step.chunks.count == 1 ? "" : "s",
                                                    label(t.step.chunks, chunks));
        steps.push_back({t.rank, coll::name(t.step.what), t.step.round, t.segment, t.step.peer,
                         what, t.bytes, t.begin, t.end});
    }
    auto const file = trace.path.substr(trace.path.find_last_of('/') + 1);
    return {{"file", file}, {"operation", trace.operation}, {"steps", steps}};
}

/// What every rank has before the first round.
std::string starts(report const& shown) {
    using enum coll::collective;
    switch (shown.what) {
        case broadcast:
        case scatter: return "only the root has something.";
        case all_gather:
        case gather:
        case all_to_all:
        case barrier: return "every rank has its own block.";
        default: return "every rank has its own contribution to all of the vector.";
    }
}

std::string intro(report const& shown) {
    if (coll::reduces(shown.what)) {
        return fmt::format(
            "Rows are ranks, columns are the chunks the vector of {} is cut into. A cell names the "
            "ranks whose contributions it holds: 0..2 is the sum of those of 0, 1 and 2.",
            human_bytes(shown.bytes));
    }
    return fmt::format(
        "Rows are ranks, columns are {}s of the {}. A cell names the rank whose data it "
        "holds.",
        part_of(shown.what), shown.what == coll::collective::all_to_all ? "output" : "data");
}

void replace(std::string& page, std::string_view mark, std::string const& text) {
    page.replace(page.find(mark), mark.size(), text);
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
    for (char const c : data.dump(-1, ' ', true)) {
        out += c == '<' ? "\\u003c" : std::string(1, c);
    }
    return out;
}

void expect_few_moves(report const& shown) {
    std::size_t moves = 0;
    for (auto const& s : shown.schedules) { moves += s.steps.size() / 2; }
    if (moves > most_moves) {
        throw bad_usage(fmt::format("{} has {} transfers; a page shows at most {}", shown.title(),
                                    moves, most_moves));
    }
}

}  // namespace

std::string as_page(report const& shown, report const* beside, recorded_trace const* trace) {
    expect_few_moves(shown);
    json panels = json::array({panel_of(shown)});
    auto title = shown.title();
    if (beside != nullptr) {
        expect_few_moves(*beside);
        panels.push_back(panel_of(*beside));
        title.insert(shown.name.size(), " and " + beside->name);
    }
    json const data{{"collective", coll::name(shown.what)},
                    {"part", part_of(shown.what)},
                    {"reduces", coll::reduces(shown.what)},
                    {"size", shown.size},
                    {"bytes", shown.bytes},
                    {"intro", intro(shown)},
                    {"starts", starts(shown)},
                    {"panels", panels},
                    {"trace", trace == nullptr ? json() : trace_of(shown, *trace)}};
    std::string page = page_html;
    replace(page, "@STYLE@", page_css);
    for (int i = 0; i < 2; ++i) { replace(page, "@TITLE@", for_html(title)); }
    replace(page, "@TEXT@", for_html(as_text(shown, beside, {})));
    replace(page, "@SCRIPT@",
            std::string(page_model) + page_grid + page_timeline + page_text + page_player);
    replace(page, "@DATA@", for_script(data));
    return page;
}

}  // namespace coll_show
