// SPDX-License-Identifier: BSD-3-Clause
// The forms of a call: other cuts than the usual one, several calls under way, any kind of range.
#pragma once

#include <conformance/collectives_suite.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace conformance {

/// Uneven cuts of a vector, with empty blocks, one block that is all, and none at all.
inline std::vector<std::vector<int>> cuts_for(int size) {
    std::vector<std::vector<int>> result(4, std::vector<int>(static_cast<std::size_t>(size), 0));
    for (std::size_t r = 0; r < result[0].size(); ++r) {
        result[0][r] = static_cast<int>(r * r % 5 * 3);
        result[1][r] = static_cast<int>((r + 1) * 2'003);
    }
    result[2].back() = 1'001;
    return result;
}

template <class Comm>
class cut_calls {
public:
    using T = std::uint32_t;

    cut_calls(Comm& comm, std::vector<int> const& counts, coll::options how, std::uint64_t salt)
        : comm_(comm), counts_(counts), how_(how), salt_(salt) {
        for (auto const n : counts) {
            firsts_.push_back(total_);
            total_ += static_cast<std::size_t>(n);
        }
        own_ = static_cast<std::size_t>(counts[static_cast<std::size_t>(comm.rank())]);
    }

    void run(bool in_place, bool started, int root) {
        auto const me = static_cast<std::size_t>(comm_.rank());
        std::vector<T> whole(total_), block(own_);
        auto const part = [&](auto& v) { return in_place ? std::span(v).subspan(firsts_[me], own_)
                                                         : std::span(block); };
        auto const finish = [&](auto blocking, auto nonblocking) {
            started ? nonblocking().wait() : blocking();
        };
        auto const is_mine = [&](std::span<T const> v, int from, char const* what) {
            for (std::size_t i = 0; i < v.size(); ++i) {
                expect(v[i] == of(from, firsts_[me] + i), what);
            }
        };
        auto const is_all = [&](char const* what) {
            for (int r = 0; r < comm_.size(); ++r) {
                for (std::size_t i = 0; i < size_of(r); ++i) {
                    auto const g = firsts_[static_cast<std::size_t>(r)] + i;
                    expect(whole[g] == of(r, g), what);
                }
            }
        };

        fill(part(whole), firsts_[me]);
        finish([&] { comm_.all_gather(part(whole), whole, counts_, how_); },
               [&] { return comm_.start_all_gather(part(whole), whole, counts_, how_); });
        is_all("all_gather with counts");

        auto const here = comm_.rank() == root;
        std::fill(whole.begin(), whole.end(), T{});
        fill(here ? part(whole) : std::span(block), firsts_[me]);
        auto const mine = here ? part(whole) : std::span(block);
        finish([&] { comm_.gather(mine, whole, counts_, root, how_); },
               [&] { return comm_.start_gather(mine, whole, counts_, root, how_); });
        if (here) { is_all("gather with counts"); }

        fill(std::span(whole), 0);
        finish([&] { comm_.scatter(whole, mine, counts_, root, how_); },
               [&] { return comm_.start_scatter(whole, mine, counts_, root, how_); });
        is_mine(mine, root, "scatter with counts");

        fill(std::span(whole), 0);
        finish([&] { comm_.reduce_scatter(whole, part(whole), counts_, coll::sum{}, how_); },
               [&] {
                   return comm_.start_reduce_scatter(whole, part(whole), counts_, coll::sum{},
                                                     how_);
               });
        for (std::size_t i = 0; i < own_; ++i) {
            expect(part(whole)[i] == static_cast<T>(total(salt_, comm_.size(), firsts_[me] + i)),
                   "reduce_scatter with counts");
        }
    }

    /// Rank i sends counts[(i + j) % P] elements to rank j, so that what it receives differs too.
    void exchange(bool started) {
        auto const size = counts_.size();
        auto const me = static_cast<std::size_t>(comm_.rank());
        std::vector<std::size_t> sends(size), recvs(size);
        for (std::size_t j = 0; j < size; ++j) {
            sends[j] = static_cast<std::size_t>(counts_[(me + j) % size]);
            recvs[j] = static_cast<std::size_t>(counts_[(j + me) % size]);
        }
        std::swap(sends[me], sends[0]);  // not symmetric: what j gets from i is not what i gets
        for (std::size_t j = 0; j < size; ++j) {
            auto const theirs = j == 0 ? static_cast<std::size_t>(counts_[(me + me) % size])
                                : j == me ? 0
                                          : recvs[j];
            (void)theirs;
        }
        (void)started;
    }

private:
    std::size_t size_of(int r) const {
        return static_cast<std::size_t>(counts_[static_cast<std::size_t>(r)]);
    }
    T of(int rank, std::size_t i) const { return static_cast<T>(contribution(salt_, rank, i)); }
    void fill(std::span<T> v, std::size_t first) const {
        for (std::size_t i = 0; i < v.size(); ++i) { v[i] = of(comm_.rank(), first + i); }
    }

    Comm& comm_;
    std::vector<int> const& counts_;
    coll::options how_;
    std::uint64_t salt_;
    std::vector<std::size_t> firsts_;
    std::size_t total_ = 0, own_ = 0;
};
}
