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
    lending_choices(state job, rank_t me) : job_(job), me_(me) {
        for (auto i = least_favoured.index(); i < lending_case::sizes; ++i) {
            choices_[i] = detail::quicker_way(true);
            job_.status(me_).prefers_lent[0].fetch_or(std::uint64_t{1} << i,
                                                      std::memory_order_relaxed);
        }
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
    /// From here on messages favour being lent. Of two that pass each other, staged ones come one
    /// after the other, each as soon as if it were alone, so neither rank finds out that both would
    /// come sooner if both were lent.
    static constexpr auto least_favoured = lending_case::of_message(256 * 1024);

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
