// SPDX-License-Identifier: BSD-3-Clause
#include "ours.hpp"

#include "../../algorithms.hpp"
#include "../copies.hpp"
#include "../sizes.hpp"
#include "calls.hpp"
#include "transports.hpp"

#include <collectives/algorithm/all.hpp>
#include <collectives/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace coll_perf {
namespace {

bool has_all(std::vector<std::string> const& names) {
    return std::find(names.begin(), names.end(), "all") != names.end();
}

std::vector<coll::collective> collectives_of(std::vector<std::string> const& names) {
    auto const& known = coll::scheduled_collectives;
    if (has_all(names)) { return {known.begin(), known.end()}; }
    std::vector<coll::collective> result;
    for (auto const& name : names) {
        auto const found = std::find_if(known.begin(), known.end(),
                                        [&](auto what) { return coll::name(what) == name; });
        if (found == known.end()) {
            std::vector<std::string_view> all;
            for (auto const what : known) { all.push_back(coll::name(what)); }
            throw coll::usage_error(
                fmt::format("there is no collective \"{}\"; the collectives are {}", name,
                            fmt::join(all, ", ")));
        }
        result.push_back(*found);
    }
    return result;
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

case_group group_of(request const& asked, int ranks, coll::collective what,
                    std::string const& algorithm, typed_calls const& type, std::string_view op) {
    case_group group;
    bool const empty = what == coll::collective::barrier;
    for (auto const bytes : empty ? std::vector<std::size_t>{0} : asked.sizes) {
        for (bool const in_place : asked.forms) {
            // A broadcast is always in place, a barrier has no place.
            if (what == coll::collective::broadcast && !in_place && asked.forms.size() > 1) {
                continue;
            }
            if (empty && in_place && asked.forms.size() > 1) { continue; }
            measured_case c;
            c.collective = coll::name(what);
            c.algorithm = algorithm;
            c.type = type.type;
            c.op = op;
            c.root = coll::is_rooted(what) ? asked.root : -1;
            c.element = type.size;
            c.count = count_for(what, bytes, type.size, ranks);
            c.in_place = in_place || what == coll::collective::broadcast;
            c.batch = asked.batch > 0 ? asked.batch : batch_for(c.bytes());
            bool const again = !group.empty() && group.back().in_place == c.in_place &&
                               group.back().count == c.count;
            if (!again) { group.push_back(c); }
        }
    }
    return group;
}

}  // namespace

std::vector<case_group> plan(request const& asked, int ranks) {
    if (asked.root < 0 || asked.root >= ranks) {
        throw coll::usage_error(fmt::format("root {} is none of the {} ranks", asked.root, ranks));
    }
    std::vector<case_group> groups;
    for (auto const what : collectives_of(asked.collectives)) {
        for (auto const& algorithm : algorithms_of(asked.algorithms)) {
            for (auto const* const type : types_of(asked.types)) {
                if (!coll::reduces(what)) {
                    groups.push_back(group_of(asked, ranks, what, algorithm, *type, any_operator));
                    continue;
                }
                for (auto const op : operators_of(asked.operators)) {
                    auto const* const known = type->find(op);
                    if (known != nullptr && known->find(what) != nullptr) {
                        groups.push_back(group_of(asked, ranks, what, algorithm, *type, op));
                    } else if (known != nullptr && !has_all(asked.operators) &&
                               !has_all(asked.collectives)) {
                        throw coll::usage_error(
                            fmt::format("{} has no operator {}", coll::name(what), op));
                    } else if (known == nullptr && !has_all(asked.operators) &&
                               !has_all(asked.types)) {
                        throw coll::usage_error(
                            fmt::format("{} has no operator {}", type->type, op));
                    }
                }
            }
        }
    }
    return groups;
}

program ours(std::string const& transport) {
    auto const which = find_transport(transport);
    auto const start = [which](int descriptor, meeting_place const& place, settings const& how,
                               std::vector<measured_case> const& cases) {
        board const meeting(place.memory(), how.ranks, how.iterations, how.ranks <= usable_cores());
        transports()[which].run(how.ranks, [&](coll::communicator& me) {
            measure_on_rank(me, meeting, how, cases,
                            [&](std::string const& line) { write_line(descriptor, line); });
        });
        return 0;
    };
    return {transport, false, start};
}

}  // namespace coll_perf
