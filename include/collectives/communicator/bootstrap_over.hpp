// SPDX-License-Identifier: BSD-3-Clause
// Lets the ranks of a communicator meet for another transport.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/core/bootstrap.hpp>
#include <collectives/core/timeout.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace collectives::inline v0 {

/// Models `bootstrap` over any communicator, which must outlive it.
class bootstrap_over {
public:
    explicit bootstrap_over(communicator& ranks) : ranks_(&ranks) {}  ///< among these ranks

    int rank() const { return ranks_->rank(); }  ///< this rank's number
    int size() const { return ranks_->size(); }  ///< how many ranks meet

    /// What each rank gave, by rank. Collective. Throws what the communicator's all_gather throws.
    std::vector<bootstrap_bytes> all_gather(std::span<std::byte const> mine,
                                            steady::time_point until) {
        detail::require_bootstrap_bytes(rank(), mine.size());
        auto const n = static_cast<std::size_t>(size());
        std::vector<std::size_t> sizes(n);
        ranks_->all_gather(std::array{mine.size()}, sizes, {.timeout = left(until)});
        std::size_t total = 0;
        for (int r = 0; r < size(); ++r) {
            auto const bytes = sizes[static_cast<std::size_t>(r)];
            detail::require_given_bytes(rank(), r, bytes);
            total += bytes;
        }
        std::vector<std::byte> all(total);
        ranks_->all_gather(mine, all, sizes, {.timeout = left(until)});
        std::vector<bootstrap_bytes> result;
        auto from = all.begin();
        for (auto const s : sizes) {
            auto const to = from + static_cast<std::ptrdiff_t>(s);
            result.emplace_back(from, to);
            from = to;
        }
        return result;
    }

private:
    static timeout left(steady::time_point until) {
        auto const now = steady::now();
        return until == steady::time_point::max() ? timeout::never
                                                  : timeout(std::max<std::chrono::nanoseconds>(
                                                        until - now, std::chrono::nanoseconds(1)));
    }

    communicator* ranks_;
};

}  // namespace collectives
