// SPDX-License-Identifier: BSD-3-Clause
#include "sizes.hpp"

#include "../most_bytes.hpp"

#include <collectives/core/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace coll_perf {

namespace {

constexpr auto largest = static_cast<std::size_t>(most_bytes);
constexpr std::size_t most_sizes = 10000;

}  // namespace

std::size_t parse_bytes(std::string_view text) {
    auto const refuse = [&](char const* why) -> std::size_t {
        throw collectives::usage_error("\"" + std::string(text) + "\" is no size: " + why);
    };
    std::size_t number = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{}) { return refuse("write 4096, 64K, 1M or 2G"); }
    std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (suffix.empty() || suffix == "B") { return number; }
    static constexpr std::string_view units = "KMGT";
    auto const unit = units.find(suffix[0] == 'k' ? 'K' : suffix[0]);
    auto const rest = suffix.substr(1);
    if (unit == units.npos || !(rest.empty() || rest == "B" || rest == "iB")) {
        return refuse("write 4096, 64K, 1M or 2G");
    }
    auto const shift = 10 * (unit + 1);
    if (number > (std::numeric_limits<std::size_t>::max() >> shift)) { return refuse("too large"); }
    return number << shift;
}

std::vector<std::size_t> size_range(std::size_t least, std::size_t most, double factor,
                                    std::size_t step) {
    using collectives::usage_error;
    if (most > largest) { throw usage_error("the largest size (-e) is above 1T"); }
    if (least > most) { throw usage_error("the smallest size (-b) is above the largest (-e)"); }
    if (step == 0 && !(factor > 1)) { throw usage_error("the factor (-f) must be more than 1"); }
    if (step == 0 && least == 0) { throw usage_error("sizes from 0 on need a step (-i)"); }
    std::vector<std::size_t> sizes;
    auto const next = [&](std::size_t size) {
        if (step > 0) { return size + std::min(step, largest); }
        auto const times = std::min(static_cast<double>(size) * factor, 0x1p41);
        return std::max(size + 1, static_cast<std::size_t>(std::llround(times)));
    };
    for (auto size = least; size <= most; size = next(size)) {
        if (sizes.size() == most_sizes) {
            throw usage_error("these are more than " + std::to_string(most_sizes) + " sizes");
        }
        sizes.push_back(size);
    }
    return sizes;
}

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= text.size();) {
        auto const comma = std::min(text.find(',', at), text.size());
        if (comma == at) {
            throw collectives::usage_error("\"" + std::string(text) + "\" has an empty part");
        }
        parts.emplace_back(text.substr(at, comma - at));
        at = comma + 1;
    }
    return parts;
}

int batch_for(std::size_t bytes) {
    return static_cast<int>(
        std::clamp<std::size_t>((std::size_t{64} << 10) / std::max<std::size_t>(bytes, 1), 1, 64));
}

}  // namespace coll_perf
