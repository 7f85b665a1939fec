// SPDX-License-Identifier: BSD-3-Clause
#include "ours.hpp"

#include "../../algorithms.hpp"
#include "../sizes.hpp"
#include "../table.hpp"
#include "calls.hpp"
#include "transports.hpp"

#include <collectives/algorithm/all.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/processors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace coll_perf {
namespace {

bool has_all(std::vector<std::string> const& names) {
    return std::find(names.begin(), names.end(), "all") != names.end();
}

/// All names of one form; of the collectives that have it.
std::vector<std::string> names_of(form how) {
    std::vector<std::string> names;
    for (auto const what : coll::scheduled_collectives) {
        std::string const name(coll::name(what));
        if (how == form::call) { names.push_back(name); }
        if (how == form::started) { names.push_back("start_" + name); }
        if (how == form::planned) { names.push_back("plan_" + name); }
        if (how == form::counts && cuts_blocks(what)) { names.push_back(name + "_v"); }
    }
    return names;
}

constexpr std::array all_of{std::pair{"all", form::call}, std::pair{"all_v", form::counts},
                            std::pair{"start_all", form::started},
                            std::pair{"plan_all", form::planned}};

bool names_group(std::vector<std::string> const& names) {
    return std::find_first_of(names.begin(), names.end(), all_of.begin(), all_of.end(),
                              [](auto const& name, auto const& g) { return name == g.first; }) !=
           names.end();
}

std::vector<std::string> algorithms_of(std::vector<std::string> const& names) {
    if (has_all(names)) {
        std::vector<std::string> all{"automatic"};
        for (auto const a : known_algorithms()) { all.push_back(coll::name(a)); }
        return all;
    }
    for (auto const& name : names) { static_cast<void>(coll::parse_algorithm(name)); }
    return names;
}

std::vector<typed_calls const*> types_of(std::vector<std::string> const& names) {
    std::vector<typed_calls const*> result;
    if (has_all(names)) {
        for (auto const& t : all_types()) { result.push_back(&t); }
    } else {
        for (auto const& name : names) { result.push_back(&find_type(name)); }
    }
    return result;
}

std::vector<std::string_view> operators_of(std::vector<std::string> const& names) {
    if (has_all(names)) { return all_operators(); }
    std::vector<std::string_view> result;
    for (auto const& name : names) { result.push_back(find_operator(name)); }
    return result;
}

/// What only moves knows no operator; its calls are found under the first.
constexpr std::string_view any_operator = "sum";

case_group group_of(request const& asked, int ranks, std::string const& name,
                    std::string const& algorithm, typed_calls const& type, std::string_view op) {
    auto const what = kind::of(name);
    case_group group;
    std::size_t const parts = asked.osu_sizes && states_block(what.like) ? std::size_t(ranks) : 1;
    bool const chooses = what.may_be_in_place() && !what.only_in_place();
    for (auto const bytes : what.is_sized() ? asked.sizes : std::vector<std::size_t>{0}) {
        for (bool const in_place : asked.forms) {
            // What has one form alone is measured once, where both are asked for.
            if (!chooses && in_place != what.only_in_place() && asked.forms.size() > 1) {
                continue;
            }
            measured_case c;
            c.collective = name;
            c.algorithm = what.has_algorithm() ? algorithm : "automatic";
            c.type = type.type;
            c.op = op;
            c.root = what.is_rooted() ? asked.root : -1;
            c.element = type.size;
            c.count = count_for(what.like, bytes * parts, type.size, ranks);
            if (what.how == form::fusion) { c.count *= static_cast<std::size_t>(asked.tensors); }
            c.in_place = (in_place && chooses) || what.only_in_place();
            c.batch = what.is_single() ? 1 : asked.batch > 0 ? asked.batch : batch_for(c.bytes());
            bool const again = !group.empty() && group.back().in_place == c.in_place &&
                               group.back().count == c.count;
            if (!again) { group.push_back(c); }
        }
    }
    return group;
}

bool has_call(typed_operator const& op, kind const& what) {
    if (what.how > form::planned) { return true; }
    auto const calls = op.find(what.like);
    switch (what.how) {
        case form::counts: return calls.counts != nullptr;
        case form::started: return calls.start != nullptr;
        case form::planned: return calls.plan != nullptr;
        default: return calls.call != nullptr;
    }
}

/// The groups of a name and an algorithm.
void add_groups(std::vector<case_group>& groups, request const& asked, int ranks,
                std::string const& name, std::string const& algorithm) {
    auto const what = kind::of(name);
    bool const all = has_all(asked.operators);
    for (auto const* const type : types_of(asked.types)) {
        if (!what.reduces()) {
            groups.push_back(group_of(asked, ranks, name, algorithm, *type, any_operator));
            if (!what.is_sized() || what.is_message()) { return; }  // whatever the type
            continue;
        }
        for (auto const op : operators_of(asked.operators)) {
            auto const* const known = type->find(op);
            if (known != nullptr && has_call(*known, what)) {
                groups.push_back(group_of(asked, ranks, name, algorithm, *type, op));
            } else if (known != nullptr && !all && !names_group(asked.collectives)) {
                throw coll::usage_error(fmt::format("{} has no operator {}", name, op));
            } else if (known == nullptr && !all && !has_all(asked.types)) {
                throw coll::usage_error(fmt::format("{} has no operator {}", type->type, op));
            }
        }
    }
}

}  // namespace

std::vector<std::string> collectives_of(std::vector<std::string> const& names) {
    std::vector<std::string> result;
    for (auto const& name : names) {
        auto const group = std::find_if(all_of.begin(), all_of.end(),
                                        [&](auto const& g) { return g.first == name; });
        if (group != all_of.end()) {
            for (auto& one : names_of(group->second)) { result.push_back(std::move(one)); }
            continue;
        }
        try {
            static_cast<void>(kind::of(name));
        } catch (std::runtime_error const&) {
            auto known = names_of(form::call);
            for (auto const& f : other_forms) { known.emplace_back(f.name); }
            throw coll::usage_error(fmt::format(
                "there is no collective \"{}\"; the collectives are {}; and start_NAME, plan_NAME, "
                "and NAME_v where counts may be given; and all, all_v, start_all, plan_all",
                name, fmt::join(known, ", ")));
        }
        result.push_back(name);
    }
    return result;
}

std::vector<case_group> plan(request const& asked, int ranks) {
    if (asked.root < 0 || asked.root >= ranks) {
        throw coll::usage_error(fmt::format("root {} is none of the {} ranks", asked.root, ranks));
    }
    std::vector<case_group> groups;
    for (auto const& name : collectives_of(asked.collectives)) {
        for (auto const& algorithm : algorithms_of(asked.algorithms)) {
            add_groups(groups, asked, ranks, name, algorithm);
            if (!kind::of(name).has_algorithm()) { break; }
        }
    }
    return groups;
}

void require_places(std::vector<case_group> const& groups, settings const& how) {
    for (auto const& group : groups) {
        for (auto const& c : group) {
            if (how.offset % c.element == 0) { continue; }
            throw coll::usage_error(fmt::format("--offset {} is no place for {}, of {} bytes",
                                                how.offset, c.type, c.element));
        }
    }
}

program ours(std::string const& transport) {
    auto const which = find_transport(transport);
    auto const start = [which](int descriptor, meeting_place const& place, settings const& how,
                               std::vector<measured_case> const& cases) {
        board const meeting(place.memory(), how.ranks, how.iterations,
                            how.ranks <= collectives::usable_processors());
        transports()[which].run(how.ranks, [&](job_rank const& me) {
            auto mine = meeting;
            measure_on_rank(me, mine, how, cases,
                            [&](std::string const& line) { write_line(descriptor, line); });
        });
        return 0;
    };
    return {transport, false, start};
}

}  // namespace coll_perf
