// SPDX-License-Identifier: BSD-3-Clause
// Which send belongs to which receive.
#pragma once

#include <collectives/schedule/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace collectives::inline v0::detail {

/// The schedules of all ranks, in rank order, as one list of steps, each beside its partner: the
/// k-th send of a round from one rank to another belongs to the k-th receive.
class partners {
public:
    constexpr explicit partners(std::span<schedule const> ranks) : ranks_(ranks) {
        int count = 0;
        for (schedule const& own : ranks) {
            first_.push_back(count);
            count += static_cast<int>(own.steps.size());
        }
        first_.push_back(count);
        for (int i = 0; i < count; ++i) { of_.push_back(-1); }
        if (is_well_formed()) { match(); }
    }

    constexpr bool ok() const { return what_.empty(); }
    /// What is wrong, at which rank, in which round; "" if nothing is.
    constexpr std::string_view what() const { return what_; }
    constexpr rank_t rank() const { return rank_; }
    constexpr int round() const { return round_; }

    /// The number of each rank's first step, then that of all steps.
    constexpr std::vector<int> const& first() const { return first_; }
    constexpr int number(rank_t r, std::size_t i) const {
        return first_[index(r)] + static_cast<int>(i);
    }
    constexpr int of(int step) const { return of_[index(step)]; }

private:
    static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
    constexpr rank_t size() const { return static_cast<rank_t>(ranks_.size()); }
    constexpr std::vector<step> const& steps(rank_t r) const { return ranks_[index(r)].steps; }

    constexpr bool fail(std::string_view what, rank_t rank, int round) {
        what_ = what;
        rank_ = rank;
        round_ = round;
        return false;
    }

    constexpr bool is_well_formed() {
        for (rank_t r = 0; r < size(); ++r) {
            int const chunks = ranks_[index(r)].chunks;
            int round = 0;
            for (step const& s : steps(r)) {
                if (s.round < round) { return fail("its rounds do not ascend", r, s.round); }
                if (s.peer < 0 || s.peer >= size() || s.peer == r) {
                    return fail("it has no such peer", r, s.round);
                }
                if (s.chunks.first < 0 || s.chunks.first >= chunks || s.chunks.count < 0 ||
                    s.chunks.count > chunks) {
                    return fail("there are no such chunks", r, s.round);
                }
                round = s.round;
            }
        }
        return true;
    }

    /// The steps of a rank that are sends, or that are not, by round and peer, else in order.
    constexpr std::vector<int> sorted(rank_t r, bool sends) const {
        auto const& own = steps(r);
        std::vector<int> result;
        for (std::size_t i = 0; i < own.size(); ++i) {
            if ((own[i].what == verb::send) == sends) { result.push_back(static_cast<int>(i)); }
        }
        auto const key = [&](int i) {
            return std::tuple(own[index(i)].round, own[index(i)].peer, i);
        };
        std::sort(result.begin(), result.end(), [&](int a, int b) { return key(a) < key(b); });
        return result;
    }

    constexpr void match() {
        std::vector<std::vector<int>> sends;
        for (rank_t r = 0; r < size(); ++r) { sends.push_back(sorted(r, true)); }
        for (rank_t r = 0; r < size(); ++r) {
            if (!match_receives(r, sends)) { return; }
        }
        for (rank_t r = 0; r < size(); ++r) {
            for (int const i : sends[index(r)]) {
                if (of(number(r, index(i))) < 0) {
                    fail("it sends what nobody receives", r, steps(r)[index(i)].round);
                    return;
                }
            }
        }
    }

    constexpr bool match_receives(rank_t me, std::vector<std::vector<int>> const& sends) {
        std::tuple<int, rank_t> before{-1, -1};
        std::size_t at = 0;
        for (int const i : sorted(me, false)) {
            step const& s = steps(me)[index(i)];
            auto const& theirs = sends[index(s.peer)];
            auto const key = [&](int k) {
                step const& t = steps(s.peer)[index(k)];
                return std::tuple(t.round, t.peer);
            };
            std::tuple const wanted{s.round, me};
            if (before == std::tuple(s.round, s.peer)) {
                ++at;
            } else {
                auto const found = std::lower_bound(theirs.begin(), theirs.end(), wanted,
                                                    [&](int k, auto w) { return key(k) < w; });
                at = static_cast<std::size_t>(found - theirs.begin());
            }
            before = {s.round, s.peer};
            if (at >= theirs.size() || key(theirs[at]) != wanted) {
                return fail("it receives what nobody sends", me, s.round);
            }
            int const sent = number(s.peer, index(theirs[at]));
            int const received = number(me, index(i));
            of_[index(sent)] = received;
            of_[index(received)] = sent;
        }
        return true;
    }

    std::span<schedule const> ranks_;
    std::vector<int> first_, of_;
    std::string_view what_;
    rank_t rank_ = -1;
    int round_ = -1;
};

}  // namespace collectives::inline v0::detail
