// SPDX-License-Identifier: BSD-3-Clause
#include "serving.hpp"

#include "pace.hpp"
#include "ranks.hpp"

#include <collectives/core/types.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace trainer {
namespace {

constexpr std::int64_t trying_ns = 50'000'000;  // passes are repeated for so long
constexpr int least_passes = 5;                 // and so often

/// The quickest pass over the largest block that a rank has.
class quickest_pass : public observer {
public:
    void begun(int /*first_step*/, int ranks) override { ranks_ = static_cast<std::size_t>(ranks); }
    void epoch(std::span<step_record const> steps, std::span<float const> /*seen*/) override {
        auto const passes = steps.size() / ranks_;
        for (std::size_t pass = 0; pass < passes; ++pass) {
            std::int64_t longest = 0;
            for (std::size_t r = 0; r < ranks_; ++r) {
                auto const& s = steps[r * passes + pass];
                longest = std::max(longest, s.end_ns - s.begin_ns);
            }
            least_ns = std::min(least_ns, longest);
        }
    }
    void ended(state const& /*now*/, bool /*ranks_agree*/) override {}

    std::int64_t least_ns = std::numeric_limits<std::int64_t>::max();

private:
    std::size_t ranks_ = 1;
};

class table {
public:
    table(settings how, data_set const& data, state const& learnt)
        : how_(std::move(how)), data_(data), learnt_(learnt), net_(job{how_, data}.make_network()) {
        how_.where = transport::threads;
    }

    /// Ranks in turn, by the processor's clock: the time of the slowest, whose passes are all
    /// equal, so the quickest of them counts. All images lie between two passes of a rank: however
    /// few it has, they are not in its caches.
    std::int64_t in_turn(int ranks, int at_once) {
        std::vector<std::int64_t> quickest(static_cast<std::size_t>(ranks),
                                           std::numeric_limits<std::int64_t>::max());
        auto const begin = processor_ns();
        for (int pass = 0; pass < least_passes || processor_ns() - begin < trying_ns; ++pass) {
            for (int r = 0; r < ranks; ++r) {
                auto const mine = collectives::block(data_.test.size(), ranks, r);
                auto const from = processor_ns();
                (void)classify_images(data_, net_, learnt_.parameters, mine.first, mine.size,
                                      static_cast<std::size_t>(at_once));
                auto& least = quickest[static_cast<std::size_t>(r)];
                least = std::min(least, processor_ns() - from);
            }
        }
        return std::ranges::max(quickest);
    }

    /// Ranks at once, by everybody's clock, where a pass takes about `pass_ns`.
    std::int64_t side_by_side(int ranks, int at_once, std::int64_t pass_ns) {
        how_.ranks = ranks;
        how_.batch = at_once;
        how_.passes =
            least_passes + static_cast<int>(trying_ns / std::max<std::int64_t>(pass_ns, 1));
        quickest_pass book;
        run({task::classify, how_, data_, learnt_, book});
        return book.least_ns;
    }

    void print_rows(int at_once, int most_ranks, int cores) {
        auto const images = static_cast<double>(data_.test.size());
        auto const per_second = [&](std::int64_t ns) {
            return images / static_cast<double>(ns) * 1e9;
        };
        double one = 0;
        for (int ranks = 1; ranks <= most_ranks; ranks *= 2) {
            auto const block = collectives::block(data_.test.size(), ranks, ranks - 1).size;
            if (block < static_cast<std::size_t>(at_once)) { break; }
            auto const alone = in_turn(ranks, at_once);
            auto const speed = per_second(alone);
            if (ranks == 1) { one = speed; }
            auto const measured =
                ranks > cores
                    ? "-"
                    : fmt::format("{:.0f}", per_second(side_by_side(ranks, at_once, alone)));
            fmt::print("{:>8}{:>8}{:>15.0f}{:>11.2f}{:>15}\n", at_once, ranks, speed, speed / one,
                       measured);
            std::fflush(stdout);
        }
    }

private:
    settings how_;
    data_set const& data_;
    state const& learnt_;
    network net_;
};

}  // namespace

void print_speed_up(settings how, data_set const& data, state const& learnt) {
    auto const cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    auto const most_ranks = how.ranks;
    fmt::print(
        "Each rank has its block of the {} test images, and needs no other rank. Ranks ran in "
        "turn,\neach timed by itself in processor time, and were put on one clock: the slowest "
        "counts, and of\nequal passes the quickest. So they share neither memory nor caches. "
        "Beside that stands what\nwas measured with as many ranks side by side as this machine has "
        "cores ({}).\n\n{:>8}{:>8}{:>15}{:>11}{:>15}\n{:>8}{:>8}{:>15}{:>11}{:>15}\n",
        data.test.size(), cores, "images", "", "images per", "times", "side by side", "at once",
        "ranks", "second", "one rank", "per second");
    table rows(std::move(how), data, learnt);
    for (int const at_once : {1, 8, 64, 256}) { rows.print_rows(at_once, most_ranks, cores); }
}

}  // namespace trainer
