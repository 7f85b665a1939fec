// SPDX-License-Identifier: BSD-3-Clause
// Random histories of calls, each rank of each call with a protocol of its own.
#pragma once

#include <test_sampling.hpp>
#include <unit/plan_cases.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace plan_cases {

/// COLLECTIVES_TEST_SEED, else always the same.
inline std::uint32_t seed() { return sampling::seed(20'261'124U); }

struct random_calls {
    pl::planned_history what;
    std::vector<std::string> text;  // of each call
};

/// The protocols of all ranks of a call, drawn at random: all ranks over one back end.
inline std::vector<low::rank_choice> random_choices(low::lowered_call const& c,
                                                    std::mt19937& random) {
    auto const p = static_cast<std::size_t>(c.shape().size);
    auto const by = random() % 8;
    if (by == 0) {
        std::vector<low::rank_choice> result;
        for (std::size_t r = 0; r < p; ++r) {
            using enum pl::protocol;
            result.push_back(choice_of(random() % 2 != 0 ? eager : stream_reduce, false));
        }
        return result;
    }
    if (by <= 2 && fits_cells(c)) {
        auto const how = by == 1 ? pl::protocol::cells : pl::protocol::cells_beside;
        return std::vector<low::rank_choice>(p, choice_of(how, false));
    }
    auto const sharing = sharing_choices(c);
    auto const all = sharing.empty() || random() % 2 == 0 ? memory_choices(c) : sharing;
    std::vector<low::rank_choice> result;
    for (std::size_t r = 0; r < p; ++r) { result.push_back(all[random() % all.size()]); }
    return result;
}

/// As many calls as the windows of runs hold, twice.
inline random_calls random_history(std::mt19937& random) {
    random_calls result;
    result.what.element = 4;
    result.what.overlapping = random() % 4 == 0;
    auto const size = 2 + static_cast<int>(random() % 3);
    for (int k = 0; k < 2 * pl::channels; ++k) {
        auto const a = coll::all_algorithms[random() % coll::all_algorithms.size()];
        auto const what =
            coll::scheduled_collectives[random() % coll::scheduled_collectives.size()];
        auto const root = static_cast<int>(random() % static_cast<unsigned>(size));
        auto const segments = random() % 4 == 0 ? 3 : 1;
        auto shape = shape_of(what, size, random() % 12, root);
        if (coll::has_blocks(what) && random() % 3 == 0) { move_blocks(shape, random); }
        low::lowered_call const c(a, shape, segments);
        auto const as = random_choices(c, random);
        result.what.calls.push_back(low::plan_call(c, as));
        result.text.push_back(described(a, c, as.front()));
    }
    return result;
}

}  // namespace plan_cases
