// SPDX-License-Identifier: BSD-3-Clause
// Memory of symbols, for the reference interpreter: what each rank has, and who takes it over.
#pragma once

#include <unit/plan_cases.hpp>

#include <collectives/plan/resolve.hpp>
#include <collectives/plan/run_numbers.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace plan_cases {

/// What an interpretation stops with.
class wrong_plan : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The plans of a history by run and rank, without symbols.
inline std::vector<std::vector<pl::plan>> resolved(pl::planned_history const& what) {
    std::vector<std::vector<pl::plan>> result;
    for (auto const& c : what.calls) {
        for (auto const& r : c.runs) {
            collectives::lean_vector<pl::peer_view> views;
            for (auto const& p : r.ranks) { views.push_back({p.shown, p.offers}); }
            result.emplace_back();
            for (auto const& p : r.ranks) { result.back().push_back(pl::resolve(p, views)); }
        }
    }
    return result;
}

/// What nobody has written is `nothing`, and so is what somebody else may have taken.
class symbolic_memory {
public:
    static constexpr int nothing = -1;

    symbolic_memory(pl::planned_history const& what,
                    std::vector<std::vector<pl::plan>> const& plans)
        : what_(what), plans_(plans), runs_(pl::number_runs(what)) {
        for (auto const& run : plans) {
            for (auto const& p : run) {
                auto& piece = piece_[is_in_cells(p) ? 1 : 0];
                if (p.keeps == pl::scratch_life::ring) { piece = std::max(piece, lines(p)); }
            }
        }
    }

    std::vector<pl::run_of_history> const& runs() const { return runs_; }

    /// What a caller has when it enters a call, or does with it when it has left.
    void clear_buffers(int call, int rank) {
        auto const& b = buffers(call, rank);
        auto const bytes = std::max(b.input_at + b.input_bytes, b.output_at + b.output_bytes);
        clear({kind::user, rank, 0, 0}, bytes);
        clear({kind::user, rank, 1, 0}, bytes);
    }
    /// Takes what a run of a rank needs, and announces it.
    void begin(int run, int rank) {
        auto const& r = of(run);
        auto const& p = plan(run, rank);
        auto& mine = scratch_[{run, rank}];
        mine = {{kind::scratch, rank, run, 0}, 0};
        if (r.by == pl::backend::messages) { return clear(mine.first, p.scratch); }
        announced_[slot(run, rank)] = run;
        if (r.by == pl::backend::cells) {
            clear(cell(run, rank), buffers(r.call, rank).input_bytes);
        } else {
            clear({kind::channel, rank, r.number % pl::channels, 0}, 0);
        }
        if (p.keeps == pl::scratch_life::ring) { return take_piece(p, rank, mine); }
        if (p.keeps == pl::scratch_life::channel) {
            mine.first = {kind::channel, rank, r.number % pl::channels, 0};
        }
        clear(mine.first, p.scratch);
    }
    void end(int run, int rank) {
        auto const& p = plan(run, rank);
        if (p.keeps == pl::scratch_life::run) { clear(scratch_[{run, rank}].first, p.scratch); }
    }
    /// Element `k` at a place of a rank's plan.
    int& at(int run, int rank, pl::place const& p, std::size_t k) {
        auto const owner = p.peer < 0 ? rank : p.peer;
        auto const is_memory = p.where != pl::memory::message && p.where != pl::memory::offer;
        if (!is_memory || index(owner) >= plans_[index(run)].size()) {
            throw wrong_plan("it names what is not there");
        }
        if (p.peer >= 0 && announced_[slot(run, owner)] != run) {
            throw wrong_plan("a peer's announcement is another run's");
        }
        auto const& b = buffers(of(run).call, owner);
        auto const output = p.where == pl::memory::output;
        auto key = scratch_[{run, owner}].first;
        auto base = scratch_[{run, owner}].second;
        auto most = plan(run, owner).scratch;
        if (p.where == pl::memory::cell) {
            key = cell(run, owner);
            base = 0;
            most = b.input_bytes;
        } else if (output || p.where == pl::memory::input) {
            auto const& c = what_.calls[index(of(run).call)];
            auto const behind = c.runs[index(of(run).segment)].behind;
            key = {kind::user, owner, output && !b.in_place ? 1 : 0, 0};
            base = behind + (output ? b.output_at : b.input_at);
            most = (output ? b.output_bytes : b.input_bytes) - behind;
        }
        auto const offset = p.offset + k * what_.element;
        if (offset + what_.element > most) { throw wrong_plan("it goes beyond a buffer"); }
        auto& elements = memory_[key];
        auto const i = (base + offset) / what_.element;
        if (i >= elements.size()) { throw wrong_plan("it reads memory that nobody has taken"); }
        return elements[i];
    }
    /// Element `k` of a rank's input or output, as its caller sees it.
    int& user(int call, int rank, bool output, std::size_t k) {
        auto const& b = buffers(call, rank);
        auto const begin = (output ? b.output_at : b.input_at) / what_.element;
        return memory_[{kind::user, rank, output && !b.in_place ? 1 : 0, 0}][begin + k];
    }

private:
    enum class kind : int { user, scratch, channel, ring, cell };
    using key_type = std::tuple<kind, int, int, int>;
    using scratch_place = std::pair<key_type, std::size_t>;

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    static bool is_in_cells(pl::plan const& p) {
        return pl::backend_of(p.shown.how) == pl::backend::cells;
    }
    static std::size_t lines(pl::plan const& p) { return pl::whole_lines(p.scratch); }
    pl::run_of_history const& of(int run) const { return runs_[index(run)]; }
    pl::plan const& plan(int run, int rank) const { return plans_[index(run)][index(rank)]; }
    pl::user_buffers const& buffers(int call, int rank) const {
        return what_.calls[index(call)].buffers[index(rank)];
    }
    int depth(int run) const {
        return of(run).by == pl::backend::memory ? pl::channels
                                                 : what_.calls[index(of(run).call)].cell_depth;
    }
    std::tuple<int, int, int> slot(int run, int rank) const {
        return {rank, depth(run), of(run).number % depth(run)};
    }
    key_type cell(int run, int rank) const {
        return {kind::cell, rank, depth(run), of(run).number % depth(run)};
    }
    void clear(key_type const& key, std::size_t bytes) {
        memory_[key].assign(bytes / what_.element, nothing);
    }
    void take_piece(pl::plan const& p, int rank, scratch_place& mine) {
        auto const cells = is_in_cells(p) ? 1 : 0;
        auto const pieces = index(cells == 1 ? pl::beside_pieces : pl::ring_pieces);
        auto const bytes = pieces * piece_[cells];
        mine.first = {kind::ring, rank, cells, 0};
        auto& ring = memory_[mine.first];
        ring.resize(bytes / what_.element, nothing);
        auto& next = next_[{rank, cells}];
        if (next + lines(p) > bytes) { next = 0; }
        mine.second = std::exchange(next, next + lines(p));
        auto const first = ring.begin() + static_cast<std::ptrdiff_t>(mine.second / what_.element);
        std::fill_n(first, p.scratch / what_.element, nothing);
    }

    pl::planned_history const& what_;
    std::vector<std::vector<pl::plan>> const& plans_;
    std::vector<pl::run_of_history> runs_;
    std::map<key_type, std::vector<int>> memory_;
    std::map<std::pair<int, int>, scratch_place> scratch_;  // of a run and rank
    std::map<std::tuple<int, int, int>, int> announced_;    // the run, by rank and slot
    std::map<std::pair<int, int>, std::size_t> next_;       // in the rings
    std::size_t piece_[2] = {0, 0};                         // the largest, of runs and beside cells
};

}  // namespace plan_cases
