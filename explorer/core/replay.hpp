// SPDX-License-Identifier: BSD-3-Clause
// What every rank holds after every round, also of schedules that are wrong: the checker says that
// they are, this shows what they do.
#pragma once

#include "wire.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace explorer {

/// A value is -1 (nothing); or the number of a rank's contribution or of a block; or, from `first`
/// on, a sum of earlier values.
class replay {
public:
    struct change {
        int round;
        coll::rank_t rank;
        int chunk;
        int value;
        bool adds;
    };

    explicit replay(std::span<coll::schedule const> ranks)
        : ranks_(ranks), what_(ranks[0].what), size_(ranks[0].size), chunks_(ranks[0].chunks) {
        first_ = coll::reduces(what_)                    ? size_
                 : what_ == coll::collective::all_to_all ? size_ * size_
                                                         : std::max(chunks_, size_);
        fill();
        std::vector<std::size_t> next(ranks.size(), 0);
        for (int round = 0; round < ranks[0].rounds; ++round) { run(round, next); }
    }

    int first() const { return first_; }
    std::vector<int> const& start() const { return start_; }
    std::vector<change> const& changes() const { return changes_; }
    /// The operands of each sum, in the order in which they are added.
    std::vector<std::vector<int>> const& sums() const { return sums_; }

private:
    struct arrival {
        coll::rank_t from;
        int value;
        bool adds;
    };

    std::size_t slot(coll::rank_t rank, int chunk) const {
        return static_cast<std::size_t>(rank) * static_cast<std::size_t>(chunks_) +
               static_cast<std::size_t>(chunk % chunks_);
    }

    void fill() {
        auto const root = ranks_[0].root;
        for (coll::rank_t r = 0; r < size_; ++r) {
            for (int c = 0; c < chunks_; ++c) {
                start_.push_back(what_ == coll::collective::all_to_all           ? r * size_ + c
                                 : coll::reduces(what_)                          ? r
                                 : has(coll::traits_of(what_).input, r, root, c) ? c
                                                                                 : -1);
            }
        }
        held_ = start_;
    }

    void run(int round, std::vector<std::size_t>& next) {
        std::map<std::pair<coll::rank_t, coll::rank_t>, std::vector<coll::chunk_range>> sent;
        std::vector<std::pair<coll::rank_t, coll::step>> received;
        for (coll::rank_t r = 0; r < size_; ++r) {
            auto const& steps = ranks_[static_cast<std::size_t>(r)].steps;
            auto& i = next[static_cast<std::size_t>(r)];
            for (; i < steps.size() && steps[i].round <= round; ++i) {
                if (steps[i].what == coll::verb::send) {
                    sent[{r, steps[i].peer}].push_back(steps[i].chunks);
                } else {
                    received.emplace_back(r, steps[i]);
                }
            }
        }
        std::map<std::pair<coll::rank_t, coll::rank_t>, std::size_t> taken;
        std::map<std::size_t, std::vector<arrival>> arrivals;
        bool const renames = what_ == coll::collective::all_to_all;
        for (auto const& [me, s] : received) {
            auto const& theirs = sent[{s.peer, me}];
            auto& k = taken[{s.peer, me}];
            if (k == theirs.size()) { continue; }
            auto const range = theirs[k++];
            for (int c = 0; c < std::min(range.count, s.chunks.count); ++c) {
                auto const from = slot(s.peer, range.first + c);
                int const value = renames ? start_[from] : held_[from];
                if (value < 0) { continue; }
                arrivals[slot(me, s.chunks.first + c)].push_back(
                    {s.peer, value, s.what == coll::verb::recv_reduce});
            }
        }
        for (auto const& [at, what] : arrivals) { apply(round, at, what); }
    }

    void apply(int round, std::size_t at, std::vector<arrival> const& what) {
        auto const me = static_cast<coll::rank_t>(at / static_cast<std::size_t>(chunks_));
        bool adds = true;
        std::vector<std::pair<coll::rank_t, int>> operands;
        if (held_[at] >= 0) { operands.emplace_back(me, held_[at]); }
        for (auto const& a : what) {
            if (a.adds) {
                operands.emplace_back(a.from, a.value);
            } else {
                adds = false;
                operands.assign(1, {a.from, a.value});
            }
        }
        std::sort(operands.begin(), operands.end());
        if (operands.size() == 1) {
            held_[at] = operands[0].second;
        } else {
            held_[at] = first_ + static_cast<int>(sums_.size());
            auto& sum = sums_.emplace_back();
            for (auto const& o : operands) { sum.push_back(o.second); }
        }
        changes_.push_back(
            {round, me, static_cast<int>(at % static_cast<std::size_t>(chunks_)), held_[at], adds});
    }

    std::span<coll::schedule const> ranks_;
    coll::collective what_;
    int size_;
    int chunks_;
    int first_ = 0;
    std::vector<int> start_;
    std::vector<int> held_;
    std::vector<change> changes_;
    std::vector<std::vector<int>> sums_;
};

}  // namespace explorer
