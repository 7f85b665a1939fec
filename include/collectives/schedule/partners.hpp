// SPDX-License-Identifier: BSD-3-Clause
// All steps of a collective as one list, each beside its partner.
#pragma once

#include <collectives/schedule/pairing.hpp>
#include <collectives/schedule/schedule.hpp>
#include <collectives/schedule/well_formed.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace collectives::inline v0::detail {

/// The schedules of all ranks, in rank order, as one list of steps, each beside its partner.
class partners {
public:
    constexpr explicit partners(std::span<schedule const> ranks) : ranks_(ranks) {
        int count = 0;
        for (schedule const& own : ranks) {
            first_.push_back(count);
            count += static_cast<int>(own.steps.size());
        }
        first_.push_back(count);
        of_.assign(index(count), -1);
        verdict_ = form_of({ranks.data(), ranks.size()});
        if (verdict_.ok) { match(); }
    }

    /// Whether all is well formed, and each step has its partner; if not, what is wrong where.
    constexpr proof const& verdict() const { return verdict_; }

    /// The number of each rank's first step, then that of all steps.
    constexpr std::vector<int> const& first() const { return first_; }
    constexpr int number(rank_t r, std::size_t i) const {
        return first_[index(r)] + static_cast<int>(i);
    }
    constexpr int of(int step) const { return of_[index(step)]; }

private:
    static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
    constexpr rank_t size() const { return static_cast<rank_t>(ranks_.size()); }

    constexpr void match() {
        pairing pairs({ranks_.data(), ranks_.size()});
        for (int round = 0; round < ranks_[0].rounds; ++round) {
            auto sends = pairs.enter(round);
            for (rank_t r = 0; r < size() && verdict_.ok; ++r) { sends -= take_sends(pairs, r); }
            if (sends > 0 && verdict_.ok) {
                verdict_ = {false, "a send has no receive", pairs.first_left().rank, round};
            }
            if (!verdict_.ok) { return; }
        }
    }

    /// Gives the receives of a rank their sends. Returns how many.
    constexpr std::size_t take_sends(pairing& pairs, rank_t me) {
        std::size_t taken = 0;
        for (auto i = pairs.begin(me); i < pairs.end(me) && verdict_.ok; ++i) {
            step const& s = ranks_[index(me)].steps[i];
            if (s.what == verb::send) { continue; }
            auto const k = pairs.take_send(me, s.peer);
            if (k == pairs.end(s.peer)) {
                verdict_ = {false, "a receive has no send", me, s.round};
                break;
            }
            int const sent = number(s.peer, k), received = number(me, i);
            of_[index(sent)] = received;
            of_[index(received)] = sent;
            ++taken;
        }
        return taken;
    }

    std::span<schedule const> ranks_;
    std::vector<int> first_, of_;
    proof verdict_{};
};

}  // namespace collectives::detail
