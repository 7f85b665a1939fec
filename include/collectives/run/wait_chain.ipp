// SPDX-License-Identifier: BSD-3-Clause
// The definitions of run/wait_chain.hpp.
#pragma once

#include <collectives/core/text.hpp>
#include <collectives/run/wait_chain.hpp>

namespace collectives::inline v0::detail {

[[gnu::cold]] COLLECTIVES_INLINE void add_wait_chain(std::string& text, any_board const& board,
                                                     rank_t first, wait_point at) {
    constexpr int most = 8;
    rank_t ranks[most] = {first};
    auto const say = [&text](char const* words, text_part what = "") {
        add_joined(text, {words, what});
    };
    say("rank ", first);
    for (auto* end = ranks + 1;; ++end) {
        if (at.round >= 0) {
            say(" waits in round ", at.round);
            say(" of ", name(at.what));
        } else {
            say(" waits in ", name(at.what));
        }
        say(" #", at.sequence);
        auto const peer = at.peer;
        if (peer < 0) { return; }
        say(" for rank ", peer);
        for (auto const* before = ranks; before != end; ++before) {
            if (*before == peer) { return say(": they wait for each other"); }
        }
        if (end == ranks + most) { return say(", and so on"); }
        *end = peer;
        auto const its = board.wait_of(peer);
        auto const waits = its.sequence > (its.is_pair() ? 0 : board.finished(peer));
        if (at.is_pair()) {
            say(waits ? ", which" : "");
        } else if (board.entered(peer) < at.sequence) {
            say(waits ? ", which has not entered it and" : ", which has not entered it");
        } else {
            say(waits ? ", which" : ", which has entered it");
        }
        if (!waits) { return; }
        at = its;
    }
}

}  // namespace collectives::detail
