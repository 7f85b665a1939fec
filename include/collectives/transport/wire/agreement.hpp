// SPDX-License-Identifier: BSD-3-Clause
// How ranks that only exchange messages agree on who goes on after a loss, though any of them may
// die meanwhile: Paxos, with a single decision. Source: L. Lamport, "Paxos Made Simple", 2001.
#pragma once

#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/loss.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace collectives::inline v0::wire {

/// What ranks tell each other to agree.
struct agreement_message {
    enum class kind : std::uint32_t {
        present,   // this rank goes on
        prepare,   // promise to accept nothing below this ballot
        promise,   // the answer, with what was accepted before
        accept,    // accept these survivors, unless a higher ballot has a promise
        accepted,  // the answer
        decided,   // these are the survivors
    };
    kind what = kind::present;
    std::uint64_t ballot = 0;
    std::uint64_t accepted = 0;       // promise: the ballot of `survivors`, 0 for none
    lean_vector<rank_t> survivors{};  // ascending
};

/// One rank's part. Survivors are decided once enough ranks (`may_go_on`) have accepted them; two
/// such groups of ranks share one, and so no others are ever decided. n ranks send O(n^2) messages.
class agreement {
public:
    using sender = std::function<void(rank_t to, agreement_message const& what)>;

    agreement(int size, rank_t me, sender tell)
        : size_(size), me_(me), tell_(std::move(tell)), present_(static_cast<std::size_t>(size)) {}

    /// One turn. The survivors once they are decided; fewer than may go on if this rank can no
    /// longer reach enough others. `lost(r)`: rank r is not waited for.
    std::optional<lean_vector<rank_t>> step(steady::time_point now,
                                            function_ref<bool(rank_t)> lost) {
        if (!std::exchange(goes_on_, true)) {
            present_[static_cast<std::size_t>(me_)] = true;
            tell_others({.what = kind::present});
        }
        if (decided_.empty() && candidates_.empty()) {
            auto found = those_present(lost);
            if (found.empty()) { return {}; }
            if (!may_go_on(found, size_)) { return found; }
            candidates_ = std::move(found);
            next_ballot_ = now + turn();
        }
        if (decided_.empty() && now >= next_ballot_) {
            prepare();
            next_ballot_ = now + patience + turn();
        }
        if (decided_.empty()) { return {}; }
        // Whoever decided this may have died before all have heard of it.
        if (!std::exchange(passed_on_, true)) { tell_others(decision()); }
        return decided_;
    }

    /// The others with which this rank would go on and that have not answered it of late,
    /// ascending.
    lean_vector<rank_t> silent() const {
        auto const answers = [](lean_vector<rank_t> const& all, rank_t r) {
            return std::binary_search(all.begin(), all.end(), r);
        };
        lean_vector<rank_t> result;
        for (auto const r : candidates_) {
            if (r != me_ && !answers(answered_, r) && !answers(answered_before_, r)) {
                result.push_back(r);
            }
        }
        return result;
    }

    void receive(rank_t from, agreement_message const& m) {
        highest_ = std::max(highest_, m.ballot);
        switch (m.what) {
            case kind::present:
                present_[static_cast<std::size_t>(from)] = true;
                if (!decided_.empty()) { tell_(from, decision()); }
                return;
            case kind::prepare:
                if (m.ballot <= promised_) { return; }
                promised_ = m.ballot;
                return tell(from, {kind::promise, m.ballot, accepted_ballot_, accepted_});
            case kind::promise:
                if (m.ballot != ballot_ || accepting_) { return; }
                if (m.accepted > best_) {
                    best_ = m.accepted;
                    proposal_ = m.survivors;
                }
                if (!is_enough(from)) { return; }
                accepting_ = true;
                answered_before_.swap(answered_);
                answered_.clear();
                return tell_all({kind::accept, ballot_, 0, proposal_});
            case kind::accept:
                if (m.ballot < promised_) { return; }
                promised_ = accepted_ballot_ = m.ballot;
                accepted_ = m.survivors;
                return tell(from, {kind::accepted, m.ballot, 0, {}});
            case kind::accepted:
                if (m.ballot == ballot_ && accepting_ && is_enough(from)) { decide(proposal_); }
                return;
            case kind::decided: return decide(m.survivors);
        }
    }

private:
    using kind = agreement_message::kind;
    static constexpr std::chrono::milliseconds patience{50};

    /// Lower ranks propose first, so that mostly one rank does.
    std::chrono::milliseconds turn() const {
        auto const place = std::find(candidates_.begin(), candidates_.end(), me_);
        return std::chrono::milliseconds(20) * (place - candidates_.begin());
    }
    /// Empty while a rank may still come.
    lean_vector<rank_t> those_present(function_ref<bool(rank_t)> lost) const {
        lean_vector<rank_t> result;
        for (rank_t r = 0; r < size_; ++r) {
            auto const is = present_[static_cast<std::size_t>(r)];
            if (is) { result.push_back(r); }
            if (!is && !lost(r)) { return {}; }
        }
        return result;
    }
    void prepare() {
        answered_before_.swap(answered_);
        ballot_ = ((highest_ >> 16) + 1) << 16 | static_cast<std::uint64_t>(me_);
        answered_.clear();
        accepting_ = false;
        best_ = 0;
        proposal_ = candidates_;
        tell_all({kind::prepare, ballot_, 0, {}});
    }
    /// Whether enough ranks have answered, with this one.
    bool is_enough(rank_t from) {
        auto const place = std::lower_bound(answered_.begin(), answered_.end(), from);
        if (place == answered_.end() || *place != from) { answered_.insert(place, from); }
        return may_go_on(answered_, size_);
    }
    void decide(lean_vector<rank_t> const& survivors) {
        if (decided_.empty()) { decided_ = survivors; }
    }
    agreement_message decision() const { return {kind::decided, 0, 0, decided_}; }

    void tell(rank_t to, agreement_message const& what) {
        if (to == me_) { return receive(me_, what); }
        tell_(to, what);
    }
    void tell_others(agreement_message const& what) {
        for (rank_t r = 0; r < size_; ++r) {
            if (r != me_) { tell_(r, what); }
        }
    }
    void tell_all(agreement_message const& what) {
        tell_others(what);
        receive(me_, what);
    }

    int size_;
    rank_t me_;
    sender tell_;
    lean_vector<bool> present_;
    lean_vector<rank_t> candidates_;  // that this rank would go on with
    steady::time_point next_ballot_{};
    bool goes_on_ = false, passed_on_ = false;

    // as a proposer
    std::uint64_t highest_ = 0, ballot_ = 0;
    bool accepting_ = false;
    lean_vector<rank_t> answered_;         // ascending
    lean_vector<rank_t> answered_before_;  // in the phase before
    std::uint64_t best_ = 0;  // the ballot of `proposal_` where others accepted it before
    lean_vector<rank_t> proposal_;

    // as one that accepts
    std::uint64_t promised_ = 0, accepted_ballot_ = 0;
    lean_vector<rank_t> accepted_;

    lean_vector<rank_t> decided_;
};

}  // namespace collectives::wire
