// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace coll_predict {
namespace {

std::string human(double s) {
    char const* unit = "s";
    for (auto const* const next : {"ms", "us", "ns"}) {
        if (s >= 1 || s == 0) { break; }
        s *= 1000;
        unit = next;
    }
    return fmt::format("{:.4g} {}", s, unit);
}

}  // namespace

coll::any_algorithm best(question const& q, std::int64_t bytes) {
    auto const time = [&](auto const a) { return seconds(a, q.size, bytes, q.at); };
    return *std::min_element(q.algorithms.begin(), q.algorithms.end(),
                             [&](auto const a, auto const b) { return time(a) < time(b); });
}

std::vector<crossing> crossings(question const& q) {
    std::vector<crossing> list;
    auto const exact = [&](std::int64_t from) { return q.at.simulated ? 1 + from / 64 : 1; };
    auto const note = [&](std::int64_t bytes) {
        auto const a = best(q, bytes);
        list.push_back({bytes, a, seconds(a, q.size, bytes, q.at)});
    };
    auto const [first, last] = std::minmax_element(q.bytes.begin(), q.bytes.end());
    note(*first);
    for (auto low = *first; low < *last;) {
        auto const high = std::min(2 * std::max<std::int64_t>(low, 1), *last);
        while (best(q, high) != list.back().algorithm) {  // another begins in (low, high]
            auto from = low, to = high;
            while (to - from > exact(from)) {
                auto const middle = from + (to - from) / 2;
                (best(q, middle) == list.back().algorithm ? from : to) = middle;
            }
            note(to);
            low = to;
        }
        low = high;
    }
    return list;
}

std::string as_table(question const& q) {
    auto out = fmt::format("{:>12}", "bytes");
    for (auto const a : q.algorithms) { out += fmt::format(" {:>13}", coll::name(a)); }
    out += "  quickest\n";
    for (auto const bytes : q.bytes) {
        out += fmt::format("{:>12}", bytes);
        for (auto const a : q.algorithms) {
            out += fmt::format(" {:>13}", human(seconds(a, q.size, bytes, q.at)));
        }
        out += fmt::format("  {}\n", coll::name(best(q, bytes)));
    }
    return out;
}

std::string as_text(std::vector<crossing> const& list) {
    std::string out;
    for (auto const& c : list) {
        out += fmt::format("from {:>12} bytes on {:<14} {}\n", c.bytes, coll::name(c.algorithm),
                           human(c.seconds));
    }
    return out;
}

std::string as_csv(question const& q) {
    std::string out =
        "transport,collective,algorithm,type,op,ranks,bytes,in_place,memory,median_us,cpu,cores,"
        "date\n";
    for (auto const a : q.algorithms) {
        for (auto const bytes : q.bytes) {
            out += fmt::format(
                "predicted,all_reduce,{},byte,any,{},{},0,private,{:.6g},model,{},\n",
                coll::name(a), q.size, bytes, seconds(a, q.size, bytes, q.at) * 1e6, q.size);
        }
    }
    return out;
}

}  // namespace coll_predict
