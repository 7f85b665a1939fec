// SPDX-License-Identifier: BSD-3-Clause
#include "one_clock.hpp"

#include "passes.hpp"

#include <collectives/algorithm/ring.hpp>
#include <collectives/collectives.hpp>
#include <collectives/schedule/simulate.hpp>

#include <algorithm>
#include <memory>
#include <numeric>

namespace trainer::studies {
namespace {

namespace coll = collectives;

/// The tensors that travel together, as fusion_buffer puts them: a tensor that does not fit begins
/// a bucket.
struct bucket {
    std::size_t last = 0;  // tensor
    std::size_t bytes = 0;
};

std::vector<bucket> buckets_of(std::vector<coll::ready_tensor> const& tensors,
                               std::size_t threshold) {
    std::vector<bucket> all;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        auto const bytes = tensors[i].shape.bytes();
        if (all.empty() || all.back().bytes + bytes > threshold) { all.emplace_back(); }
        all.back().last = i;
        all.back().bytes += bytes;
    }
    return all;
}

/// When each rank has all averages, if rank r begins its pass at `begin[r]`.
std::vector<double> communicate(std::vector<timed_pass> const& passes,
                                std::vector<double> const& begin, settings const& how,
                                std::vector<coll::schedule> const& ring,
                                coll::loggp const& network) {
    std::vector<double> free = begin;  // when a rank's link takes the next bucket
    for (auto const& b : buckets_of(passes.front().ready, how.threshold)) {
        auto links = network;
        links.late.resize(passes.size());
        for (std::size_t r = 0; r < passes.size(); ++r) {
            auto const after =
                how.moves == overlap::off ? passes[r].seconds : passes[r].ready[b.last].ready;
            links.late[r] = std::max(free[r], begin[r] + after);
        }
        free = coll::simulate(ring, b.bytes, links).done;
    }
    return free;
}

class virtual_ranks {
public:
    virtual_ranks(settings const& how, data_set const& data)
        : how_(how),
          what_{how_, data},
          net_(what_.make_network()),
          gradient_(net_.parameter_count()) {
        now_.parameters = net_.initial_parameters(how_.seed);
        now_.velocity.resize(now_.parameters.size());
        for (int r = 0; r < how_.ranks; ++r) {
            auto const mine = coll::block(static_cast<std::size_t>(how_.batch), how_.ranks, r);
            loaders_.push_back(
                std::make_unique<loader>(data, what_.part(mine.first, mine.size), 0, what_.read()));
        }
    }

    /// All ranks' passes, one after the other, and the step with the sum of their gradients.
    std::vector<timed_pass> step() {
        std::ranges::fill(gradient_, 0.0F);
        std::vector<timed_pass> passes;
        double loss = 0;
        for (auto& images : loaders_) {
            auto const begin = processor_ns();
            auto const part = images->next();
            auto const loading = static_cast<double>(processor_ns() - begin) * 1e-9;
            auto pass = time_pass(net_, now_.parameters, part,
                                  1.0F / static_cast<float>(how_.batch), gradient_, loss);
            pass.seconds += loading;
            for (auto& t : pass.ready) { t.ready += loading; }
            passes.push_back(std::move(pass));
        }
        now_.descend(gradient_, rate_at(how_, now_.step, what_.steps_per_epoch()), how_.momentum);
        ++now_.step;
        return passes;
    }

    double accuracy() {
        auto const& test = what_.data.test;
        auto const seen =
            net_.classify(now_.parameters, gather_images(what_.data, test, {}, 0, test.size()));
        std::size_t right = 0;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            if (seen[i] == test.labels[i]) { ++right; }
        }
        return static_cast<double>(right) / static_cast<double>(seen.size());
    }

private:
    settings how_;
    job what_;
    network net_;
    state now_;
    std::vector<float> gradient_;
    std::vector<std::unique_ptr<loader>> loaders_;
};

}  // namespace

clock_step train_on_one_clock(settings const& how, data_set const& data, int steps,
                              coll::loggp const& network) {
    virtual_ranks ranks(how, data);
    auto const ring = coll::record_all(coll::ring{}, coll::collective::all_reduce, how.ranks);
    std::vector<double> clock(static_cast<std::size_t>(how.ranks));
    clock_step mean;
    auto const share = 1 / (static_cast<double>(steps) * how.ranks);
    for (int warm_up = 0; warm_up < 3; ++warm_up) { (void)ranks.step(); }
    for (int s = 0; s < steps; ++s) {
        auto const passes = ranks.step();
        auto const done = communicate(passes, clock, how, ring, network);
        double latest = 0;
        for (std::size_t r = 0; r < clock.size(); ++r) {
            latest = std::max(latest, clock[r] + passes[r].seconds);
        }
        for (std::size_t r = 0; r < clock.size(); ++r) {
            auto const computed = clock[r] + passes[r].seconds;
            auto const idle = std::max(0.0, std::min(latest, done[r]) - computed);
            mean.compute += passes[r].seconds * share;
            mean.idle += idle * share;
            mean.exposed += std::max(0.0, done[r] - computed - idle) * share;
            clock[r] = done[r];
        }
    }
    mean.seconds = *std::ranges::max_element(clock) / steps;
    mean.accuracy = ranks.accuracy();
    return mean;
}

}  // namespace trainer::studies
