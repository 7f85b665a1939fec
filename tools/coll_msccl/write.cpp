// SPDX-License-Identifier: BSD-3-Clause
#include "rounds.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace coll_msccl {
namespace {

/// A place in a rank's program: threadblock and number of the step in it.
struct place {
    int block;
    int step;
    friend auto operator<=>(place const&, place const&) = default;
};

struct line {
    coll::step what;
    std::set<place> waits_for;  // of other threadblocks, the last of each
};

/// The threadblocks of one rank, and what each step waits for.
class rank_program {
public:
    explicit rank_program(coll::schedule const& own) : chunks_(own.chunks) {
        // Within a round a send reads what was there before, so sends come first; several receives
        // into one chunk come in the order of the ranks.
        for (std::size_t i = 0; i < own.steps.size();) {
            std::vector<coll::step> round;
            for (int const r = own.steps[i].round; i < own.steps.size() && own.steps[i].round == r;
                 ++i) {
                round.push_back(own.steps[i]);
            }
            std::stable_sort(round.begin(), round.end(), [](auto const& a, auto const& b) {
                bool const a_sends = a.what == coll::verb::send,
                           b_sends = b.what == coll::verb::send;
                return a_sends != b_sends ? a_sends : !a_sends && a.peer < b.peer;
            });
            for (auto const& s : round) { add(s); }
        }
    }

    struct block {
        coll::rank_t send = -1, recv = -1;
        std::vector<line> lines;
    };
    std::vector<block> const& blocks() const { return blocks_; }

private:
    struct touch {
        coll::chunk_range chunks;
        bool writes;
        place at;
    };

    /// A range that wraps around the end becomes two steps, on both sides alike.
    void add(coll::step s) {
        int const rest = s.chunks.first + s.chunks.count - chunks_;
        if (rest > 0) {
            s.chunks.count -= rest;
            add_one(s);
            s.chunks = {0, rest};
        }
        add_one(s);
    }

    void add_one(coll::step const& s) {
        bool const sends = s.what == coll::verb::send;
        auto const [found, fresh] =
            numbers_.try_emplace({sends, s.peer}, static_cast<int>(blocks_.size()));
        if (fresh) { blocks_.push_back(sends ? block{s.peer, -1, {}} : block{-1, s.peer, {}}); }
        int const mine = found->second;
        std::map<int, int> last;  // of each other threadblock: the last step to wait for
        for (auto const& t : touched_) {
            bool const meets = t.chunks.first < s.chunks.first + s.chunks.count &&
                               s.chunks.first < t.chunks.first + t.chunks.count;
            if (meets && (t.writes || !sends) && t.at.block != mine) {
                last[t.at.block] = std::max(last[t.at.block], t.at.step);
            }
        }
        auto& lines = blocks_[static_cast<std::size_t>(mine)].lines;
        line l{s, {}};
        for (auto const& [b, step] : last) { l.waits_for.insert({b, step}); }
        touched_.push_back({s.chunks, !sends, {mine, static_cast<int>(lines.size())}});
        lines.push_back(std::move(l));
    }

    int chunks_;
    std::vector<block> blocks_;
    std::map<std::pair<bool, coll::rank_t>, int> numbers_;
    std::vector<touch> touched_;
};

void set(pugi::xml_node node, char const* name, auto const& value) {
    node.append_attribute(name).set_value(value);
}

/// Writes the threadblocks of a rank. A step names one step that it waits for; the others are named
/// by steps before it that do nothing.
void write(pugi::xml_node gpu, rank_program const& own) {
    std::map<place, int> number;  // of a line in the file
    std::set<place> awaited;
    for (int b = 0; auto const& block : own.blocks()) {
        int next = 0;
        for (int i = 0; auto const& l : block.lines) {
            next += std::max(1, static_cast<int>(l.waits_for.size()));
            number[{b, i++}] = next - 1;
            awaited.insert(l.waits_for.begin(), l.waits_for.end());
        }
        ++b;
    }
    for (int b = 0; auto const& block : own.blocks()) {
        auto tb = gpu.append_child("tb");
        set(tb, "id", b);
        set(tb, "send", block.send);
        set(tb, "recv", block.recv);
        set(tb, "chan", 0);
        for (int i = 0, s = 0; auto const &l : block.lines) {
            std::vector<place> waits(l.waits_for.begin(), l.waits_for.end());
            if (waits.empty()) { waits.push_back({-1, -1}); }
            for (std::size_t k = 0; k < waits.size(); ++k) {
                bool const is_last = k + 1 == waits.size();
                auto const* const type = !is_last                               ? "nop"
                                         : l.what.what == coll::verb::send      ? "s"
                                         : l.what.what == coll::verb::recv_copy ? "r"
                                                                                : "rrc";
                auto step = tb.append_child("step");
                set(step, "s", s++);
                set(step, "type", type);
                for (auto const* const side : {"src", "dst"}) {
                    set(step, fmt::format("{}buf", side).c_str(), "i");
                    set(step, fmt::format("{}off", side).c_str(),
                        is_last ? l.what.chunks.first : -1);
                }
                set(step, "cnt", is_last ? l.what.chunks.count : 0);
                bool const waits_here = waits[k].block >= 0;
                set(step, "depid", waits[k].block);
                set(step, "deps", waits_here ? number[waits[k]] : -1);
                set(step, "hasdep", is_last && awaited.contains({b, i}) ? 1 : 0);
            }
            ++i;
        }
        ++b;
    }
}

}  // namespace

std::string as_xml(std::span<coll::schedule const> ranks, std::string const& name) {
    pugi::xml_document file;
    auto algo = file.append_child("algo");
    set(algo, "name", name.c_str());
    set(algo, "proto", "Simple");
    set(algo, "nchannels", 1);
    set(algo, "nchunksperloop", ranks[0].chunks);
    set(algo, "ngpus", ranks[0].size);
    set(algo, "coll", "allreduce");
    set(algo, "inplace", 1);
    for (auto const& own : ranks) {
        auto gpu = algo.append_child("gpu");
        set(gpu, "id", own.rank);
        set(gpu, "i_chunks", own.chunks);
        set(gpu, "o_chunks", own.chunks);
        set(gpu, "s_chunks", 0);
        write(gpu, rank_program(own));
    }
    std::ostringstream out;
    file.save(out, "  ", pugi::format_indent | pugi::format_no_declaration);
    return out.str();
}

std::string as_header(std::span<coll::schedule const> ranks, std::string const& type,
                      std::string const& origin) {
    auto const& first = ranks[0];
    std::string rows;
    for (auto const& own : ranks) {
        for (auto const& s : own.steps) {
            rows += fmt::format("        {{{}, {{{}, collectives::verb::{}, {}, {{{}, {}}}}}}},\n",
                                own.rank, s.round, coll::name(s.what), s.peer, s.chunks.first,
                                s.chunks.count);
        }
    }
    return fmt::format(
        "// {0}: an all-reduce over {1} ranks, read from {2}\n"
        "// by coll_msccl, which has proved it.\n"
        "#pragma once\n\n"
        "#include <collectives/schedule/step.hpp>\n\n"
        "#include <string_view>\n\n"
        "struct {0} {{\n"
        "    static constexpr std::string_view name = \"{0}\";\n"
        "    static constexpr bool fits(int size) {{ return size == {1}; }}\n"
        "    static constexpr int chunks(int /*size*/) {{ return {3}; }}\n\n"
        "    static constexpr void steps(collectives::rank_t me, int /*size*/, auto&& emit) {{\n"
        "        for (row const& r : rows) {{\n"
        "            if (r.rank == me) {{ emit(r.what); }}\n"
        "        }}\n"
        "    }}\n\n"
        "private:\n"
        "    struct row {{\n"
        "        collectives::rank_t rank;\n"
        "        collectives::step what;\n"
        "    }};\n"
        "    static constexpr row rows[] = {{\n{4}    }};\n"
        "}};\n",
        type, first.size, origin, first.chunks, rows);
}

}  // namespace coll_msccl
