// SPDX-License-Identifier: BSD-3-Clause
#include "short_training.hpp"

#include "../loader.hpp"
#include "../optimizer.hpp"
#include "../pace.hpp"
#include "short_network.hpp"

#include <collectives/collectives.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace trainer::studies {
namespace {

namespace coll = collectives;

template <class Number>
class trainee {
public:
    trainee(coll::communicator& comm, short_plan const& plan, data_set const& data)
        : comm_(comm), plan_(plan), data_(data), net_(widths(plan, data)) {
        how_.precision = plan.scales == scaling::adapted ? format::half : format::single;
        how_.batch = plan.batch;
        now_.parameters = net_.initial_parameters(how_.seed);
        now_.velocity.resize(now_.parameters.size());
        now_.loss_scale = plan.scales == scaling::none ? 1 : plan.scale;
        used_.resize(now_.parameters.size());
        gradient_.resize(now_.parameters.size());
        wide_.resize(now_.parameters.size());
    }

    short_seen learn() {
        auto const mine = coll::block(std::size_t(plan_.batch), comm_.size(), comm_.rank());
        auto const passes = static_cast<int>(data_.train.size()) / plan_.batch;
        loader images(data_, {std::size_t(plan_.batch), mine.first, mine.size, passes, how_.seed},
                      0, {});
        coll::counted counts;
        auto counting = comm_.with(counts);
        std::vector<double> seconds;
        for (int step = 0; step < plan_.epochs * passes; ++step) {
            if (step % passes == 0) { seen_.loss = 0; }
            auto const part = images.next();
            auto const begin = processor_ns();
            round_parameters();
            auto const scale = plan_.loss_weight * now_.loss_scale * comm_.size() / plan_.batch;
            auto const loss = net_.learn(used_, part, static_cast<float>(scale), gradient_);
            seconds.push_back(double(processor_ns() - begin) * 1e-9);
            seen_.loss += loss / double(mine.size) / passes;
            counting.all_reduce(std::span(gradient_), coll::average{}, {.algorithm = coll::ring{}});
            descend();
        }
        std::ranges::nth_element(seconds, seconds.begin() + std::ptrdiff_t(seconds.size() / 2));
        seen_.step_seconds = seconds[seconds.size() / 2];
        seen_.memory = net_.bytes();
        seen_.wire = double(counts.sent()) / double(plan_.epochs * passes);
        seen_.last_scale = now_.loss_scale;
        seen_.gradient = wide_;
        seen_.accuracy = accuracy();
        return seen_;
    }

private:
    static std::vector<int> widths(short_plan const& plan, data_set const& data) {
        std::vector<int> all{static_cast<int>(data.pixels_per_image())};
        all.insert(all.end(), plan.hidden.begin(), plan.hidden.end());
        all.push_back(class_count);
        return all;
    }

    /// What the network uses. Without masters that is all that is kept: floats below hold no more.
    void round_parameters() {
        narrow(used_.data(), now_.parameters.data(), used_.size());
        if (!plan_.masters) { widen(now_.parameters.data(), used_.data(), used_.size()); }
    }

    void descend() {
        widen(wide_.data(), gradient_.data(), wide_.size());
        auto const fits =
            plan_.scales == scaling::adapted
                ? accept(now_, wide_, how_)
                : std::ranges::all_of(wide_, [](float g) { return std::isfinite(g); });
        if (fits) { now_.descend(wide_, plan_.rate / plan_.loss_weight, how_.momentum); }
        seen_.skipped += fits ? 0 : 1;
        ++now_.step;
    }

    double accuracy() {
        round_parameters();
        constexpr std::size_t at_once = 500;
        std::size_t right = 0;
        for (std::size_t first = 0; first < data_.test.size(); first += at_once) {
            auto const count = std::min(at_once, data_.test.size() - first);
            right += net_.count_right(used_, gather_images(data_, data_.test, {}, first, count));
        }
        return double(right) / double(data_.test.size());
    }

    coll::communicator& comm_;
    short_plan const& plan_;
    data_set const& data_;
    short_network<Number> net_;
    settings how_;
    state now_;                            // masters and velocity
    std::vector<Number> used_, gradient_;  // what is computed with, and what travels
    std::vector<float> wide_;
    short_seen seen_;
};

template <class Number>
short_seen learn_as(short_plan const& plan, data_set const& data) {
    short_seen seen;
    coll::threads::run(plan.ranks, [&](coll::communicator& comm) {
        trainee<Number> one(comm, plan, data);
        auto mine = one.learn();
        if (comm.rank() == 0) { seen = std::move(mine); }
    });
    return seen;
}

}  // namespace

short_seen learn_in_short(short_plan const& plan, data_set const& data) {
    switch (plan.numbers) {
        case format::half: return learn_as<float16>(plan, data);
        case format::brain: return learn_as<bfloat16>(plan, data);
        case format::single: break;
    }
    return learn_as<float>(plan, data);
}

}  // namespace trainer::studies
