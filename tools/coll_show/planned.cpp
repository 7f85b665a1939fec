// SPDX-License-Identifier: BSD-3-Clause
// Lowers and proves the plans that are shown.
#include "planned.hpp"

#include "append.hpp"

#include <collectives/lower/derive_promise.hpp>
#include <collectives/lower/protocol.hpp>

#include <algorithm>
#include <array>

namespace coll_show {

namespace {

namespace low = coll::lowering;
using plans::protocol;

constexpr std::size_t element = 4;
constexpr int largest_planned = 32;  // ranks: more are neither read nor drawn

constexpr std::array protocols{protocol::eager,  protocol::stream_reduce, protocol::zero_copy,
                               protocol::staged, protocol::staged_once,   protocol::staged_results,
                               protocol::cells,  protocol::cells_beside};

protocol find_protocol(std::string const& name) {
    std::string names;
    for (auto const p : protocols) {
        if (plans::name(p) == name) { return p; }
        append(names, "{}{}", names.empty() ? "" : ", ", plans::name(p));
    }
    throw bad_usage(fmt::format("there is no protocol \"{}\"; the protocols are {}", name, names));
}

/// What a rank announces that goes about the call so.
low::rank_choice choice_of(low::lowered_call const& c, protocol how, plan_question const& of) {
    using life = plans::scratch_life;
    auto const once = plans::uses_scratch_once(how) || how == protocol::cells_beside;
    auto const pushed = low::pushes(c, false);
    auto const takes =
        how == protocol::zero_copy && pushed && !of.lent &&
        (of.in_place || low::vector_bytes(c.shape()) >= low::least_pushed_out_of_place);
    auto const keeps = once ? life::ring : how == protocol::staged ? life::channel : life::run;
    auto const few = low::longest_input(c.shape()) <= low::largest_in_few_cells;
    return {{how, of.in_place, takes, of.lent && low::shares_copies(c)},
            keeps,
            pushed,
            few ? plans::few_cells : plans::more_cells};
}

void require_suits(low::lowered_call const& c, protocol how, plan_question const& of) {
    auto const refuse = [&](std::string const& why) {
        throw bad_usage(fmt::format("{} does not suit this call: {}", plans::name(how), why));
    };
    if (of.lent && how != protocol::zero_copy) {
        refuse("what ranks lend is copied where it lies, as zero_copy has it");
    }
    if (plans::backend_of(how) == plans::backend::cells && !low::suits_cells(c, true)) {
        refuse(
            fmt::format("it is for schedules of one round, or two in an exscan, and inputs of {} "
                        "at most; this has {} and {}",
                        human_bytes(low::largest_beside_cells), counted(c.rounds(), "round"),
                        human_bytes(low::longest_input(c.shape()))));
    }
    if (how == protocol::cells && low::longest_input(c.shape()) > low::largest_in_cells) {
        refuse(fmt::format("inputs of more than {} lie beside the cells (cells_beside)",
                           human_bytes(low::largest_in_cells)));
    }
    auto const results = c.shape().what == coll::collective::all_reduce && !of.in_place;
    if (how == protocol::staged_results && !results) {
        refuse("it is for an all_reduce out of place");
    }
}

plan_traffic traffic_of(plans::plan const& p) {
    plan_traffic t;
    t.scratch = p.scratch;
    for (auto const& i : p.program) {
        if (i.what == plans::opcode::send) { t.sent += i.bytes; }
        if (i.what == plans::opcode::receive) { t.received += i.bytes; }
        if (i.what != plans::opcode::copy && i.what != plans::opcode::reduce) { continue; }
        for (int k = i.sources.first; k < i.sources.last; ++k) {
            if (p.sources[static_cast<std::size_t>(k)].peer >= 0) { t.read += i.bytes; }
        }
        for (int k = i.destinations.first; k < i.destinations.last; ++k) {
            auto const& to = p.destinations[static_cast<std::size_t>(k)].to;
            if (to.peer >= 0) {
                t.written += i.bytes;
            } else if (to.where == plans::memory::scratch || to.where == plans::memory::cell) {
                t.staged += i.bytes;
            }
        }
    }
    return t;
}

}  // namespace

plan_report make_plan_report(coll::any_algorithm algorithm, coll::collective what, int size,
                             coll::rank_t root, plan_question const& of) {
    if (size > largest_planned) {
        throw bad_usage(
            fmt::format("plans are shown of {} at most", counted(largest_planned, "rank")));
    }
    coll::drawing::require_root(root, size);
    auto const how = find_protocol(of.protocol);
    coll::lowering::call_shape shape;
    shape.what = what;
    shape.size = size;
    shape.root = root;
    shape.elem_size = element;
    auto const p = static_cast<std::size_t>(size);
    shape.count = what == coll::collective::barrier ? 0 : of.bytes / element / p * p;
    low::lowered_call const call(algorithm, shape);
    auto const choice = choice_of(call, how, of);
    require_suits(call, how, of);

    plan_report result;
    result.title =
        fmt::format("{}: {} over {}, {}{}{}{}", coll::name(algorithm), coll::name(what),
                    counted(size, "rank"), plans::name(how), of.in_place ? ", in place" : "",
                    choice.shown.takes_results ? ", sums pushed to all outputs" : "",
                    choice.shown.shares_copies ? ", each rank copies a half" : "");
    coll::lean_vector<low::rank_choice> const choices(p, choice);
    auto const planned = low::plan_call(call, choices);
    coll::lean_vector<plans::peer_view> views;
    for (auto const& each : planned.runs.front().ranks) {
        views.push_back({each.shown, each.offers});
    }
    for (auto const& each : planned.runs.front().ranks) {
        result.ranks.push_back(plans::resolve(each, views));
        result.ranks.back().program.erase_if([](auto const& i) {  // what was dropped
            return i.what == plans::opcode::copy && i.bytes == 0;
        });
        result.traffic.push_back(traffic_of(result.ranks.back()));
    }

    result.calls = plans::backend_of(how) == plans::backend::cells    ? choice.cell_depth + 1
                   : plans::backend_of(how) == plans::backend::memory ? plans::channels + 1
                                                                      : 2;
    shape.count = std::min(shape.count, 2 * p);
    result.elements = shape.count;
    plans::planned_history history;
    history.element = element;
    history.calls.assign(static_cast<std::size_t>(result.calls),
                         low::plan_call(low::lowered_call(algorithm, shape), choices));
    result.proof = plans::check_plan(history);
    return result;
}

}  // namespace coll_show
