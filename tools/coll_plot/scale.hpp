// SPDX-License-Identifier: BSD-3-Clause
// A logarithmic axis: from values to pixels, and where its lines stand.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace coll_plot {

class log_scale {
public:
    /// `low` and `high` are drawn at the pixels `from` and `to`.
    log_scale(double low, double high, double from, double to)
        : low_(std::log(low)), high_(std::log(high)), from_(from), to_(to) {}

    double operator()(double value) const {
        auto const width = std::max(high_ - low_, 1e-9);
        return from_ + (std::log(value) - low_) / width * (to_ - from_);
    }

private:
    double low_, high_, from_, to_;
};

/// The powers of ten from `low` to `high`.
inline std::vector<double> decades(double low, double high) {
    std::vector<double> list;
    auto const first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
    auto const last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
    for (int e = first; e <= last; ++e) { list.push_back(std::pow(10.0, e)); }
    return list;
}

/// The largest of 1, 2, 5 times a power of ten that is not above `value`.
inline double round_down(double value) {
    auto const power = std::pow(10.0, std::floor(std::log10(value)));
    for (double const f : {5.0, 2.0}) {
        if (f * power <= value * (1 + 1e-9)) { return f * power; }
    }
    return power;
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `value`.
inline double round_up(double value) {
    auto const power = std::pow(10.0, std::floor(std::log10(value)));
    for (double const f : {1.0, 2.0, 5.0}) {
        if (f * power >= value * (1 - 1e-9)) { return f * power; }
    }
    return 10 * power;
}

}  // namespace coll_plot
