// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 collects, and posts home what it has.
#include "measure.hpp"

#include "../progress.hpp"
#include "mailbox.hpp"

#include <algorithm>

namespace trainer {
namespace {

double median(std::vector<double> values) {
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// The part of an outcome that fits into a mailbox as it is.
struct figures {
    double step_seconds;
    double all_reduce_seconds;
    std::uint64_t sent;
    bool ranks_agree;
};

class collector : public observer {
public:
    collector(mailbox& to, std::string label, int steps)
        : to_(to), label_(std::move(label)), steps_(steps) {}

    void begun(int /*first_step*/, int ranks) override {
        bar_.emplace(label_, true);
        sent_.resize(static_cast<std::size_t>(ranks));
    }
    void stepped(int done) override {
        bar_->show(done, steps_, accuracies_.empty() ? 0 : accuracies_.back());
    }
    void epoch(std::span<step_record const> steps, std::span<float const> seen) override {
        auto const count = steps.size() / sent_.size();
        for (std::size_t i = 0; i < steps.size(); ++i) {
            auto const& s = steps[i];
            sent_[i / count] += s.sent;
            if (i >= count) { continue; }
            auto const t = time_of(s, s.computed_ns);
            step_seconds_.push_back(t.all());
            all_reduce_seconds_.push_back(t.exposed);
        }
        accuracies_.push_back(accuracy_of(seen));
    }
    void ended(state const& now, bool ranks_agree) override {
        bar_.reset();
        to_.post(std::vector{figures{median(step_seconds_), median(all_reduce_seconds_),
                                     *std::ranges::max_element(sent_), ranks_agree}});
        to_.post(now.parameters);
        to_.post(accuracies_);
    }

private:
    mailbox& to_;
    std::string label_;
    int steps_;
    std::optional<progress> bar_;
    std::vector<double> step_seconds_, all_reduce_seconds_, accuracies_;
    std::vector<std::uint64_t> sent_;
};

}  // namespace

outcome measure_training(settings const& how, data_set const& data, state const& start,
                         std::string const& label) {
    mailbox results;
    collector book(results, label, job{how, data}.last_step(0));
    run_own({task::train, how, data, start, book});
    results.open();
    auto const seen = results.take<figures>().front();
    return {seen.step_seconds, seen.all_reduce_seconds, seen.sent,
            seen.ranks_agree,  results.take<float>(),   results.take<double>()};
}

std::vector<collectives::trace_event> measure_ring(settings const& how, data_set const& data,
                                                   state const& start) {
    mailbox results;
    collector book(results, "", 0);
    run_own(
        {task::trace, how, data, start, book, [&](auto const& events) { results.post(events); }});
    results.open();
    return results.take<collectives::trace_event>();
}

}  // namespace trainer
