// SPDX-License-Identifier: BSD-3-Clause
// Calls to lower and to prove: which protocols a rank may announce, and shapes that are hard.
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/lower/derive_promise.hpp>
#include <collectives/lower/protocol.hpp>

#include <test_sampling.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plan_cases {

namespace coll = collectives;
namespace low = coll::lowering;
namespace pl = coll::plans;
using coll::collective;

using sampling::all_cases;

/// Of all cases, COLLECTIVES_TEST_PART=K/N takes every N-th from the K-th on. Asked once a case.
inline bool is_in_part() {
    static auto const part = [] {
        auto const* const text = std::getenv("COLLECTIVES_TEST_PART");
        unsigned k = 1, n = 1;
        if (text != nullptr && (std::sscanf(text, "%u/%u", &k, &n) != 2 || k < 1 || k > n)) {
            throw std::runtime_error("COLLECTIVES_TEST_PART is not K/N");
        }
        return std::pair(k - 1, n);
    }();
    static unsigned asked = 0;
    return !all_cases() || asked++ % part.second == part.first;
}

/// Every so many-th change of a plan is tried.
constexpr int largest_size = sampling::sanitized ? 5 : 9;
constexpr std::size_t mutation_step = sampling::sanitized ? 320 : 40;

inline coll::lowering::call_shape shape_of(collective what, int size, std::size_t count, int root) {
    coll::lowering::call_shape s;
    s.what = what;
    s.size = size;
    s.root = root;
    s.elem_size = 4;
    auto const p = static_cast<std::size_t>(size);
    s.count = what == collective::barrier      ? 0
              : what == collective::all_to_all ? (count + p - 1) / p * p
                                               : count;
    return s;
}

/// Moves the blocks of a call to any places, in any order, most of them with gaps between.
inline void move_blocks(coll::lowering::call_shape& s, std::mt19937& random) {
    std::vector<int> order;
    for (int r = 0; r < s.size; ++r) { order.push_back(r); }
    std::shuffle(order.begin(), order.end(), random);
    auto const p = static_cast<std::size_t>(s.size);
    s.counts.resize(2 * p);
    std::size_t first = random() % 3;
    for (int const r : order) {
        auto const i = static_cast<std::size_t>(r);
        s.counts[i] = coll::block(s.count, s.size, r).size;
        s.counts[p + i] = s.counts[i] == 0 ? 0 : first;
        first += s.counts[i] + random() % 3;
    }
}

/// How a rank goes about a call if it announces this.
inline low::rank_choice choice_of(pl::protocol how, bool in_place, bool takes_results = false,
                                  bool pushes = false, int depth = pl::more_cells) {
    auto const keeps = pl::uses_scratch_once(how) || how == pl::protocol::cells_beside
                           ? pl::scratch_life::ring
                       : how == pl::protocol::staged ? pl::scratch_life::channel
                                                     : pl::scratch_life::run;
    return {{how, in_place, takes_results}, keeps, pushes, depth};
}

/// All that a rank may announce in a call over peers' memory. Those that stage with each life of
/// scratch that there is.
inline std::vector<low::rank_choice> memory_choices(low::lowered_call const& c, bool pushes) {
    std::vector<low::rank_choice> result;
    using enum pl::protocol;
    for (bool const in_place : {false, true}) {
        result.push_back(choice_of(zero_copy, in_place, false, pushes));
        if (pushes) { result.push_back(choice_of(zero_copy, in_place, true, true)); }
        for (auto const life :
             {pl::scratch_life::channel, pl::scratch_life::ring, pl::scratch_life::run}) {
            result.push_back(choice_of(staged, in_place, false, pushes));
            result.back().keeps = life;
        }
        result.push_back(choice_of(staged_once, in_place, false, pushes));
        if (c.shape().what == collective::all_reduce && !in_place) {
            result.push_back(choice_of(staged_results, in_place, false, pushes));
        }
    }
    return result;
}
inline std::vector<low::rank_choice> memory_choices(low::lowered_call const& c) {
    return memory_choices(c, c.adds_once() || c.pushes_copies());
}
/// The same where copies may be shared and none is pushed. Empty where none can be shared.
inline std::vector<low::rank_choice> sharing_choices(low::lowered_call const& c) {
    std::vector<low::rank_choice> result;
    if (c.shape().what != collective::broadcast || c.shape().size == 1 || c.rounds() != 1) {
        return result;
    }
    for (bool const in_place : {false, true}) {
        result.push_back(choice_of(pl::protocol::zero_copy, in_place));
        result.back().shown.shares_copies = true;
    }
    for (auto const& other : memory_choices(c, false)) { result.push_back(other); }
    return result;
}
inline bool fits_cells(low::lowered_call const& c) { return low::suits_cells(c, true); }

inline std::string described(coll::any_algorithm a, low::lowered_call const& c,
                             low::rank_choice const& as) {
    auto const& s = c.shape();
    return coll::name(a) + " " + std::string(coll::name(s.what)) + " P=" + std::to_string(s.size) +
           " root " + std::to_string(s.root) + " count " + std::to_string(s.count) + " x " +
           std::to_string(c.segments()) + ", " + std::string(pl::name(as.shown.how)) +
           (s.has_places() ? " in a cut" : "") + (as.shown.in_place ? " in place" : "") +
           (as.shown.takes_results ? " takes results" : "") +
           (as.shown.shares_copies ? " shares copies" : "");
}
inline std::string described(pl::plan_verdict const& v) {
    return std::string(v.what) + " (call " + std::to_string(v.call) + ", run " +
           std::to_string(v.run) + ", rank " + std::to_string(v.rank) + ", instruction " +
           std::to_string(v.instruction) + ")";
}

/// As many calls as the deepest window of this back end and one more.
inline int calls_for(low::rank_choice const& as) {
    switch (pl::backend_of(as.shown.how)) {
        case pl::backend::messages: return 2;
        case pl::backend::memory: return pl::channels + 1;
        case pl::backend::cells: return as.cell_depth + 1;
    }
    return 1;
}

}  // namespace plan_cases
