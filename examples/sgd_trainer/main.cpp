// SPDX-License-Identifier: BSD-3-Clause
// Trains small networks on real images over several ranks. See docs/trainer.md.
#include "checkpoint.hpp"
#include "compare/compare.hpp"
#include "options.hpp"
#include "ranks.hpp"
#include "report.hpp"
#include "serving.hpp"
#include "studies/studies.hpp"

#include "../../tools/launched/launched.hpp"

#include <collectives/algorithm/all.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <stdexcept>

using namespace trainer;

namespace {

void train(settings const& how) {
    auto const data = load_data(how.data, how.data_path, how.seed);
    (void)collectives::parse_algorithm(how.algorithm);  // an unknown one is told before ranks start
    job const what{how, data};
    if (what.steps_per_epoch() == 0) {
        throw std::runtime_error(
            fmt::format("a step of {} x {} images is more than the {} there are", how.batch,
                        how.accumulate, data.train.size()));
    }
    auto const net = what.make_network();
    state start;
    if (how.resume.empty()) {
        start.parameters = net.initial_parameters(how.seed);
        start.velocity.resize(start.parameters.size());
        start.loss_scale = how.loss_scale;
    } else {
        auto saved = load_checkpoint(how.resume);
        require_same(saved, how);
        require_fits(saved, net);
        start = std::move(saved.now);
        // A scale that was found while learning goes on; one that is not for these numbers does
        // not.
        if (how.loss_scale == 1 || start.loss_scale == 1) { start.loss_scale = how.loss_scale; }
        if (start.step >= how.epochs * what.steps_per_epoch()) {
            throw std::runtime_error(fmt::format("{}: its {} steps are already {} epochs or more",
                                                 how.resume.string(), start.step, how.epochs));
        }
    }
    report book(how, data, net);
    run({task::train, how, data, start, book});
}

void infer(settings how, bool speed_up) {
    auto const saved = load_checkpoint(how.resume);
    how.data = saved.how.data;
    how.model = saved.how.model;
    how.hidden = saved.how.hidden;
    how.seed = saved.how.seed;
    auto const data = load_data(how.data, how.data_path, how.seed);
    require_fits(saved, job{how, data}.make_network());
    if (speed_up) { return print_speed_up(how, data, saved.now); }
    classification book(data);
    run({task::classify, how, data, saved.now, book});
}

bool differ(difference const& of) {
    auto const one = load_checkpoint(of.one).now;
    auto const other = load_checkpoint(of.other).now;
    if (one.parameters.size() != other.parameters.size()) {
        throw std::runtime_error("the checkpoints are of different networks");
    }
    double gap = 0;
    for (std::size_t i = 0; i < one.parameters.size(); ++i) {
        gap = std::max(gap, std::abs(double(one.parameters[i]) - double(other.parameters[i])));
    }
    fmt::print("steps {} and {}; the largest difference of a parameter is {:.3g}\n", one.step,
               other.step, gap);
    return gap <= of.tolerance;  // false for a NaN too
}

}  // namespace

int main(int argc, char** argv) {
    int status = 0;
    try {
        auto const c = read_command(argc, argv, status);
        if (!c) { return status; }
        bool const works = c->does == command::what::train || c->does == command::what::infer;
        if (works && c->train.where == transport::mpi) {
            launched::become_program_of_mpi("sgd_trainer", argv);
        }
        switch (c->does) {
            case command::what::compare_algorithms: return compare_algorithms(c->compare) ? 0 : 1;
            case command::what::train: train(c->train); break;
            case command::what::study: studies::run(c->study); break;
            case command::what::infer: infer(c->train, c->speed_up); break;
            case command::what::compare_checkpoints: return differ(c->differ) ? 0 : 1;
        }
    } catch (std::exception const& error) {
        fmt::print(stderr, "sgd_trainer: {}\n", error.what());
        return 1;
    }
    return 0;
}
