// SPDX-License-Identifier: BSD-3-Clause
// A plan with one field changed is refused by check_plan; or the change is of a harmless kind, and
// the reference interpreter carries the plans out to the same results in any order.
#include <unit/plan_interpreter.hpp>
#include <unit/plan_mutations.hpp>
#include <unit/random_histories.hpp>

#include <collectives/plan/check_plan.hpp>

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

using namespace plan_cases;

namespace {

/// Empty if all went well.
std::string interpret(pl::planned_history const& what, std::mt19937& random) {
    try {
        plan_interpreter(what, random).run();
        return {};
    } catch (wrong_plan const& e) { return e.what(); }
}

/// Calls alike, in each of which one rank's plan of the first segment is `changed`.
pl::planned_history history_of(pl::planned_call const& call, int calls, std::size_t rank,
                               pl::plan const& changed) {
    pl::planned_history result;
    result.element = 4;
    auto mutant = call;
    mutant.runs.front().ranks[rank] = changed;
    result.calls.assign(static_cast<std::size_t>(calls), mutant);
    return result;
}

struct tally {
    int refused = 0;
    std::map<std::string_view, int> harmless;
    int also_wrong_when_run = 0;  // of the refused ones that were run
    int run = 0;
};

/// Holds mutations of one rank's plan against check_plan; every `step`-th of them.
void mutate(low::lowered_call const& c, std::vector<low::rank_choice> const& as, int calls,
            std::size_t step, std::string const& what, std::mt19937& random, tally& counts) {
    auto const call = low::plan_call(c, as);
    auto const rank = random() % as.size();
    auto const& own = call.runs.front().ranks[rank];
    auto const all = mutation_list(own, 4).take();
    for (auto k = random() % step; k < all.size(); k += 1 + random() % (2 * step - 1)) {
        if (!is_in_part()) { continue; }
        auto changed = own;
        all[k].apply(changed);
        auto const history = history_of(call, calls, rank, changed);
        INFO(what << ", rank " << rank << ": " << all[k].text);
        if (!pl::check_plan(history).ok) {
            // The interpreter sees most of these too, where a plan has the form of one at all.
            if (++counts.refused % 16 == 0 && !pl::plan_form(changed).fault()) {
                ++counts.run;
                for (int order = 0; order < 10; ++order) {
                    if (interpret(history, random).empty()) { continue; }
                    ++counts.also_wrong_when_run;
                    break;
                }
            }
            continue;
        }
        CHECK_FALSE(all[k].harmless.empty());
        ++counts.harmless[all[k].harmless];
        for (int order = 0; order < 100; ++order) {
            auto const why = interpret(history, random);
            CHECK(why == "");
            if (!why.empty()) { break; }
        }
    }
}

}  // namespace

TEST_CASE("the reference interpreter carries out what check_plan has proved") {
    auto const first = seed();
    for (auto k = 0U; k < (all_cases() ? 1000U : 60U); ++k) {
        if (!is_in_part()) { continue; }
        std::mt19937 random(first + k);
        auto made = random_history(random);
        made.what.overlapping = false;
        INFO("seed " << first + k);
        for (int order = 0; order < 5; ++order) { CHECK(interpret(made.what, random) == ""); }
    }
}

TEST_CASE("a plan with one field changed is refused, or the change is harmless") {
    std::mt19937 random(seed());
    tally counts;
    auto const largest = all_cases() ? 5 : 4;
    auto const step = all_cases() ? std::size_t{1} : mutation_step;
    for (auto const a : coll::all_algorithms) {
        for (auto const what : coll::scheduled_collectives) {
            for (int size = 1; size <= largest; ++size) {
                auto const p = static_cast<std::size_t>(size);
                low::lowered_call const c(a, shape_of(what, size, p + 1, size / 2));
                auto all = memory_choices(c);
                for (auto const& as : sharing_choices(c)) {
                    if (as.shown.shares_copies) { all.push_back(as); }
                }
                all.push_back(choice_of(pl::protocol::eager, false));
                all.push_back(choice_of(pl::protocol::stream_reduce, true));
                if (fits_cells(c)) {
                    all.push_back(choice_of(pl::protocol::cells, false));
                    all.push_back(choice_of(pl::protocol::cells_beside, false));
                }
                for (auto const& as : all) {
                    if (!all_cases() && random() % (sampling::sanitized ? 6 : 3) != 0) { continue; }
                    std::vector<low::rank_choice> each(p, as);
                    if (as.shown.shares_copies && random() % 2 == 0) {  // with some that do not
                        auto const others = sharing_choices(c);
                        each.back() = others[random() % others.size()];
                    }
                    mutate(c, each, calls_for(as), step, described(a, c, as), random, counts);
                }
            }
        }
    }
    MESSAGE("seed " << seed() << ": refused " << counts.refused);
    for (auto const& [kind, n] : counts.harmless) { MESSAGE(kind << ": " << n); }
    MESSAGE("of " << counts.run << " refused ones, wrong when run in some of ten orders: "
                  << counts.also_wrong_when_run);
    CHECK(2 * counts.also_wrong_when_run > counts.run);
}
