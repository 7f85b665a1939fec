// SPDX-License-Identifier: BSD-3-Clause
// What each rank of a job prefers: to copy from its peers' private memory, or that they stage.
#pragma once

#include <collectives/core/lending_case.hpp>
#include <collectives/core/quicker_way.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/shared/state.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace collectives::inline v0::shared {

/// A rank measures what it reads, decides for each case, and tells its peers by a bit in the
/// shared memory.
class lending_choices {
public:
    lending_choices(state const& job, rank_t me) : job_(job), me_(me) {
        std::uint64_t favoured = 0;
        for (auto i = smallest_favoured.index(); i < lending_case::sizes; ++i) {
            choices_[i] = detail::quicker_way(true);
            favoured |= std::uint64_t{1} << i;
        }
        told_by(me_, smallest_favoured).fetch_or(favoured, std::memory_order_relaxed);
    }

    /// Whether a rank prefers to copy from private memory in this case.
    bool prefers_lent(rank_t reader, lending_case what) const {
        auto const bits = told_by(reader, what).load(std::memory_order_relaxed);
        return (bits & bit_of(what)) != 0;
    }
    /// This rank has read something of this case, after so long.
    void note(lending_case what, reading how, std::chrono::nanoseconds took) {
        if (what.bytes() == 0) { return; }
        auto& choice = choices_[what.index()];
        if (how == reading::both) {
            choice.note_stray();
        } else {  // by the time for a byte, for the sizes of a case differ
            auto const bytes = static_cast<double>(what.bytes());
            choice.note(how == reading::fetched, static_cast<double>(took.count()) / bytes);
        }
        auto& told = told_by(me_, what);
        if (prefers_lent(me_, what) == choice.wants_second()) { return; }
        if (choice.wants_second()) {
            told.fetch_or(bit_of(what), std::memory_order_relaxed);
        } else {
            told.fetch_and(~bit_of(what), std::memory_order_relaxed);
        }
    }

private:
    /// Two ranks that send each other such messages at once gain only if both are lent. Neither
    /// finds that out by itself, so these begin lent. All sizes of messages are in the first word.
    static constexpr auto smallest_favoured = lending_case::of_message(256 * 1024);
    static_assert(smallest_favoured.index() < lending_case::sizes && lending_case::sizes <= 64);

    std::atomic<std::uint64_t>& told_by(rank_t reader, lending_case what) const {
        return job_.status(reader).prefers_lent[what.index() / 64];
    }
    static constexpr std::uint64_t bit_of(lending_case what) {
        return std::uint64_t{1} << what.index() % 64;
    }

    state job_;
    rank_t me_;
    std::array<detail::quicker_way, lending_case::count> choices_{};  // the second way: lent
};

}  // namespace collectives::shared
