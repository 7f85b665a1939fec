// SPDX-License-Identifier: BSD-3-Clause
#include "replay.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace pipeline {
namespace {

constexpr double never = -1;

/// When the passes of all stages over all micro-batches end.
class ends {
public:
    ends(std::size_t stages, std::size_t micro_batches) : micro_batches_(micro_batches), of_{{}} {
        of_.fill(std::vector(stages * micro_batches, never));
    }
    double& of(pass what, std::size_t stage, int micro_batch) {
        auto const m = static_cast<std::size_t>(micro_batch);
        if (m >= micro_batches_) { throw std::logic_error("a pass over no micro-batch"); }
        return of_[static_cast<std::size_t>(what)][stage * micro_batches_ + m];
    }

private:
    std::size_t micro_batches_;
    std::array<std::vector<double>, 2> of_;
};

}  // namespace

pass_times pass_times::equal(int stages, double forward, double backward) {
    auto const count = static_cast<std::size_t>(stages);
    return {std::vector(count, forward), std::vector(count, backward)};
}

double timeline::idle_share() const {
    double busy = 0;
    for (auto const& stage : stages) {
        for (auto const& i : stage) { busy += i.end - i.start; }
    }
    return 1 - busy / (total * static_cast<double>(stages.size()));
}

timeline replay(std::vector<task_list> const& schedule, pass_times const& times) {
    auto const stages = schedule.size();
    auto const micro_batches = schedule.at(0).size() / 2;
    ends done(stages, micro_batches);
    timeline result;
    result.stages.resize(stages);

    /// When the input of a pass is there; `never` while the pass that makes it has not run.
    auto const ready = [&](std::size_t s, task const& t) {
        bool const forward = t.what == pass::forward;
        if (!forward && done.of(pass::forward, s, t.micro_batch) == never) { return never; }
        if (s == (forward ? 0 : stages - 1)) { return 0.0; }  // from no other stage
        auto const made = done.of(t.what, forward ? s - 1 : s + 1, t.micro_batch);
        return made == never ? never : made + times.message;
    };
    std::size_t remaining = 2 * stages * micro_batches;
    for (bool moved = true; remaining > 0 && moved;) {
        moved = false;
        for (std::size_t s = 0; s < stages; ++s) {
            auto& line = result.stages[s];
            if (schedule[s].size() != 2 * micro_batches) {
                throw std::logic_error("stage " + std::to_string(s) + " has not 2 M passes");
            }
            while (line.size() < schedule[s].size()) {
                auto const& t = schedule[s][line.size()];
                auto const input = ready(s, t);
                if (input == never) { break; }
                auto& end = done.of(t.what, s, t.micro_batch);
                if (end != never) { throw std::logic_error("a pass stands there twice"); }
                auto const start = std::max(input, line.empty() ? 0.0 : line.back().end);
                end = start + (t.what == pass::forward ? times.forward : times.backward).at(s);
                line.push_back({t, start, end});
                result.total = std::max(result.total, end);
                --remaining;
                moved = true;
            }
        }
    }
    if (remaining > 0) { throw std::logic_error("stages wait for each other in a circle"); }
    return result;
}

double bubble(int stages, int micro_batches) {
    return static_cast<double>(stages - 1) / (micro_batches + stages - 1);
}

void prove_bubble(int stages, int micro_batches) {
    auto const expect = [](bool holds, std::string const& schedule, int s, int m) {
        if (!holds) {
            throw std::logic_error(
                schedule + " has another bubble or peak than the formula: " + std::to_string(s) +
                " stages, " + std::to_string(m) + " micro-batches");
        }
    };
    for (auto const& schedule : schedules()) {
        for (int s = 1; s <= stages; ++s) {
            for (int m = 1; m <= micro_batches; ++m) {
                auto const lists = schedule.of_all(s, m);
                for (double const backward : {1.0, 2.0}) {  // whole numbers: sums are exact
                    auto const total = replay(lists, pass_times::equal(s, 1, backward)).total;
                    expect(total == (m + s - 1) * (1 + backward), schedule.name, s, m);
                }
                for (int stage = 0; stage < s; ++stage) {
                    auto const live = most_live(lists[static_cast<std::size_t>(stage)]);
                    auto const most = schedule.name == "gpipe" ? m : std::min(m, s - stage);
                    expect(live == most, schedule.name, s, m);
                }
            }
        }
    }
}

}  // namespace pipeline
