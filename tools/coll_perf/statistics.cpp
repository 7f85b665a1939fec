// SPDX-License-Identifier: BSD-3-Clause
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace coll_perf {

double quantile(std::vector<double> samples, double q) {
    if (samples.empty()) { return 0; }
    std::sort(samples.begin(), samples.end());
    auto const place = q * static_cast<double>(samples.size() - 1);
    auto const below = static_cast<std::size_t>(std::floor(place));
    auto const above = std::min(below + 1, samples.size() - 1);
    auto const share = place - std::floor(place);
    return samples[below] * (1 - share) + samples[above] * share;
}

summary summary_of(std::vector<double> const& samples) {
    if (samples.empty()) { return {}; }
    return {
        samples.size(),
        quantile(samples, 0),
        quantile(samples, 0.5),
        quantile(samples, 0.95),
        quantile(samples, 0.99),
        quantile(samples, 1),
        std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size())};
}

std::size_t drop_unsteady(case_result& r, std::size_t bytes) {
    std::vector<std::vector<double> const*> controls;
    if (bytes <= small_message) {
        controls = {&r.round_trips};
    } else {
        controls = {&r.copies, &r.copies_past_cache};
    }
    std::vector<bool> keep(r.samples.size(), true);
    for (auto const* const list : controls) {
        auto const usual = quantile(*list, 0.5);
        for (std::size_t i = 0; i < std::min(list->size(), keep.size()) && usual > 0; ++i) {
            auto const now = (*list)[i];
            if (now > usual * steady_within || now * steady_within < usual) { keep[i] = false; }
        }
    }
    auto const before = r.samples.size();
    for (auto* const list : {&r.samples, &r.copies, &r.copies_past_cache, &r.round_trips}) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < list->size(); ++i) {
            if (keep[i]) { (*list)[kept++] = (*list)[i]; }
        }
        list->resize(kept);
    }
    return before - r.samples.size();
}

double bus_factor(std::string_view collective, int ranks) {
    if (ranks < 2) { return 0; }
    auto const share = static_cast<double>(ranks - 1) / ranks;
    auto const what = kind::of(collective);
    if (!what.is_sized()) { return 0; }
    if (what.is_message()) { return what.how == form::both_ways ? 2 : 1; }
    if (what.like == coll::collective::all_reduce) { return 2 * share; }
    return cuts_blocks(what.like) ? share : 1;
}

double link_share(std::string_view collective, int ranks, int hosts) {
    auto const what = kind::of(collective);
    if (what.how == form::both_ways) { return 1; }
    if (hosts < 2) { return bus_factor(collective, ranks); }
    bool const each_rank_sends = what.like == coll::collective::all_to_all;
    return bus_factor(collective, hosts) * (each_rank_sends ? ranks / hosts : 1);
}

}  // namespace coll_perf
