// SPDX-License-Identifier: BSD-3-Clause
#include "training.hpp"

#include "../ranks.hpp"
#include "../report.hpp"

#include <algorithm>
#include <ctime>

namespace trainer::studies {
namespace {

double cpu_now() {
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

class collector : public observer {
public:
    collector(training_seen& to, double images_per_step, int last, on_step const& tell)
        : to_(to), images_per_step_(images_per_step), last_(last), tell_(tell) {}

    void begun(int /*first_step*/, int ranks) override {
        to_.steps.resize(static_cast<std::size_t>(ranks));
    }
    void stepped(int done) override {
        if (tell_) { tell_(done, last_); }
    }
    void epoch(std::span<step_record const> steps, std::span<float const> seen) override {
        auto const count = steps.size() / to_.steps.size();
        epoch_seen e;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            auto const& s = steps[i];
            e.loss += s.loss / images_per_step_ / static_cast<double>(count);
            if (i < count) { seconds_ += static_cast<double>(s.end_ns - s.begin_ns) * 1e-9; }
            to_.steps[i / count].push_back(s);
        }
        e.steps = static_cast<int>(to_.steps.front().size());
        e.seconds = seconds_;
        e.accuracy = accuracy_of(seen);
        to_.epochs.push_back(e);
    }
    void ended(state const& now, bool ranks_agree) override {
        to_.last = now;
        to_.ranks_agree = ranks_agree;
    }

private:
    training_seen& to_;
    double images_per_step_;
    int last_;
    on_step const& tell_;
    double seconds_ = 0;
};

}  // namespace

training_seen learn(settings how, data_set const& data, on_step const& tell, state start) {
    how.where = transport::threads;
    if (how.hidden == 0) { how.hidden = data.side > 8 ? 128 : 64; }
    if (how.precision != format::half && how.wire != format::half) { how.loss_scale = 1; }
    job const what{how, data};
    if (start.parameters.empty()) {
        start.parameters = what.make_network().initial_parameters(how.seed);
        start.velocity.resize(start.parameters.size());
        start.loss_scale = how.loss_scale;
    }
    training_seen seen;
    collector book(seen, double(how.batch) * how.accumulate, what.last_step(start.step), tell);
    auto const begin = cpu_now();
    trainer::run({task::train, how, data, start, book});
    seen.cpu_seconds = cpu_now() - begin;
    return seen;
}

data_set first_images(data_set const& of, std::size_t to_learn_from, std::size_t to_test) {
    auto result = of;
    auto const cut = [&](samples& set, std::size_t count) {
        count = std::min(count, set.size());
        if (!set.paint) { set.pixels.resize(count * of.pixels_per_image()); }
        set.labels.resize(count);
    };
    cut(result.train, to_learn_from);
    cut(result.test, to_test);
    return result;
}

}  // namespace trainer::studies
