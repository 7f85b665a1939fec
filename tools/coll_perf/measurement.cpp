// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include "host.hpp"

#include <algorithm>
#include <utility>

namespace coll_perf {

double measurement::algbw() const {
    return measured() ? static_cast<double>(what.bytes()) / time.median : 0;
}

double measurement::busbw() const { return algbw() * bus_factor(what.collective, how.ranks); }

double measurement::limit() const {
    return what.bytes() <= small_message ? round_trip : std::min(copy, copy_past_cache);
}

double measurement::bound() const {
    if (!(moved.link > 0)) { return 0; }
    auto const share = link_share(what.collective, how.ranks, static_cast<int>(moved.hosts));
    return share * static_cast<double>(what.bytes()) / moved.link;
}

measurement make_measurement(std::string transport, bool peer, measured_case const& what,
                             settings const& how, int launch, case_result result) {
    auto m = make_missing(std::move(transport), peer, what, how, launch, "");
    m.dropped = drop_unsteady(result, what.bytes());
    m.time = summary_of(result.samples);
    m.wrong = result.wrong;
    m.pinned = result.pinned;
    m.copy = quantile(result.copies, 0.5);
    m.copy_past_cache = quantile(result.copies_past_cache, 0.5);
    m.round_trip = quantile(result.round_trips, 0.5);
    m.loop = quantile(result.loops, 0.5);
    if (!result.ranks.empty()) {
        auto const ranks = summary_of(result.ranks);
        m.over_ranks = {result.ranks.front(), ranks.mean, ranks.least, ranks.most};
    }
    if (result.overlap.size() == 3) {
        m.overlap = result.overlap[0];
        m.whole = result.overlap[1];
        m.work = result.overlap[2];
    }
    m.moved = traffic::of(result.traffic);
    if (!m.measured()) { m.note = "no steady samples"; }
    return m;
}

measurement make_missing(std::string transport, bool peer, measured_case const& what,
                         settings const& how, int launch, std::string note) {
    measurement m;
    m.transport = std::move(transport);
    m.peer = peer;
    m.what = what;
    m.how = how;
    m.launch = launch;
    m.note = std::move(note);
    m.load = load_now();
    m.date = date_now();
    return m;
}

double across_launches::algbw(std::size_t bytes) const {
    return median > 0 ? static_cast<double>(bytes) / median : 0;
}

totals totals_of(std::vector<measurement> const& all) {
    totals sum;
    std::size_t counted = 0;
    for (auto const& m : all) {
        sum.wrong += m.wrong;
        sum.dropped += m.dropped;
        sum.checked = sum.checked && m.how.check;
        if (m.peer || !m.measured()) { continue; }
        sum.busbw += m.busbw();
        ++counted;
    }
    if (counted > 0) { sum.busbw /= static_cast<double>(counted); }
    return sum;
}

across_launches combine(std::vector<measurement const*> const& launches) {
    across_launches all;
    auto const over = [&](auto const& get) {
        std::vector<double> values;
        for (auto const* const m : launches) {
            if (m->measured()) { values.push_back(get(*m)); }
        }
        return values;
    };
    auto const typical = [&](auto const& get) { return quantile(over(get), 0.5); };
    for (auto const* const m : launches) {
        all.wrong += m->wrong;
        all.dropped += m->dropped;
        all.time.samples += m->time.samples;
        all.launches += m->measured() ? 1U : 0U;
        if (!m->note.empty()) { all.note = m->note; }
    }
    if (all.launches == 0) { return all; }
    auto const medians = over([](auto const& m) { return m.time.median; });
    all.median = all.time.median = quantile(medians, 0.5);
    all.spread = quantile(medians, 1) / quantile(medians, 0);
    all.time.least = typical([](auto const& m) { return m.time.least; });
    all.time.p95 = typical([](auto const& m) { return m.time.p95; });
    all.time.p99 = typical([](auto const& m) { return m.time.p99; });
    all.time.most = typical([](auto const& m) { return m.time.most; });
    all.time.mean = typical([](auto const& m) { return m.time.mean; });
    all.limit = typical([](auto const& m) { return m.limit(); });
    all.bound = typical([](auto const& m) { return m.bound(); });
    all.moved.sent = typical([](auto const& m) { return m.moved.sent; });
    all.moved.messages = typical([](auto const& m) { return m.moved.messages; });
    all.moved.link = typical([](auto const& m) { return m.moved.link; });
    all.copy = typical([](auto const& m) { return m.copy; });
    all.copy_past_cache = typical([](auto const& m) { return m.copy_past_cache; });
    all.round_trip = typical([](auto const& m) { return m.round_trip; });
    all.loop = typical([](auto const& m) { return m.loop; });
    all.overlap = typical([](auto const& m) { return m.overlap; });
    all.whole = typical([](auto const& m) { return m.whole; });
    all.work = typical([](auto const& m) { return m.work; });
    for (std::size_t i = 0; i < all.over_ranks.size(); ++i) {
        all.over_ranks[i] = typical([i](auto const& m) { return m.over_ranks[i]; });
    }
    return all;
}

}  // namespace coll_perf
