// SPDX-License-Identifier: BSD-3-Clause
// Data-parallel training: every rank holds the whole model, takes its part of each batch, and
// averages gradients with all others. This is the page to read.
#pragma once

#include "job.hpp"
#include "pace.hpp"
#include "wire.hpp"

#include <collectives/collectives.hpp>

#include <span>
#include <vector>

namespace trainer {

namespace coll = collectives;

/// What all ranks start from: what one has, which may come from a checkpoint.
inline void share(coll::communicator& comm, state& now, int root = 0) {
    std::vector<double> numbers{static_cast<double>(now.step), now.loss_scale,
                                static_cast<double>(now.good_steps)};
    comm.broadcast(numbers, root);
    now.step = static_cast<int>(numbers[0]);
    now.loss_scale = numbers[1];
    now.good_steps = static_cast<int>(numbers[2]);
    comm.broadcast(now.parameters, root);
    comm.broadcast(now.velocity, root);
}

/// Data-parallel inference: a rank classifies its block of the test images, and needs no other
/// rank. Gives how many of its images of class c were taken for class k, at c x classes + k.
inline std::vector<float> classify_block(coll::communicator const& comm, data_set const& data,
                                         network& net, std::span<float const> parameters,
                                         std::size_t at_once) {
    auto const mine = coll::block(data.test.size(), comm.size(), comm.rank());
    return classify_images(data, net, parameters, mine.first, mine.size, at_once);
}

/// All ranks classify their blocks. Gives, on every rank, the sum of what they saw.
inline std::vector<float> classify_test(coll::communicator& comm, job const& what, network& net,
                                        std::span<float const> parameters) {
    auto counts = classify_block(comm, what.data, net, parameters, 250);
    comm.all_reduce(counts);
    return counts;
}

/// Local SGD: ranks have learnt by themselves for some steps, and now average what they have.
inline void average_weights(coll::communicator& comm, settings const& how, state& now) {
    coll::options const call{.algorithm = coll::parse_algorithm(how.algorithm),
                             .segment = how.segment,
                             .reproducible = how.reproducible};
    comm.all_reduce(now.parameters, coll::average{}, call);
    comm.all_reduce(now.velocity, coll::average{}, call);
}

/// What a rank has learnt so far. While a step ends, some ranks are ahead of the others by one.
struct learnt {
    state now;
    state before{};      ///< the last step; kept only where ranks may be lost
    int first = 0;       ///< the step this run began with,
    bool begun = false;  ///< once all ranks have it
};

/// Trains from what is learnt so far, which is equal on all ranks and stays so. Gradients travel
/// over `comm`; what is no part of a step, over `base`, which has the same ranks.
inline void train(coll::communicator& base, coll::communicator& comm, job const& what, learnt& of,
                  step_recorder& recorder) {
    auto& now = of.now;
    auto const& how = what.how;
    auto const steps_per_epoch = what.steps_per_epoch();

    // Each rank takes its block of every batch. Its gradient is scaled so that the average over
    // the ranks is the average over the images of a step, also where the blocks differ in size.
    auto const mine = coll::block(static_cast<std::size_t>(how.batch), comm.size(), comm.rank());
    auto const images_per_step = static_cast<double>(how.batch) * how.accumulate;
    loader images(what.data, what.part(mine.first, mine.size), now.step * how.accumulate,
                  what.read());

    paced_network net(what.make_network(), how, base.rank());
    std::vector<float> gradient(net.parameter_count());
    coll::fusion_buffer averages(comm, {.threshold = how.threshold,
                                        .op = coll::average{},
                                        .algorithm = coll::parse_algorithm(how.algorithm),
                                        .segment = how.segment,
                                        .reproducible = how.reproducible,
                                        .progress_thread = how.moves == overlap::thread,
                                        .compress = wire_format(how.wire),
                                        .under_way = how.under_way});
    auto const hand_over = [&](tensor const& t) {
        timed const time(recorder.step.handing_ns);
        (void)averages.add(std::span(gradient).subspan(t.first, t.size), t.name);
    };

    auto const last = what.last_step(of.first);
    bool const alone = how.average_every > 0;  // between the averages of weights
    auto const ends_alone = [&](int step) {
        return step % how.average_every == 0 || step % steps_per_epoch == 0 || step == last;
    };
    auto const own_images = static_cast<double>(std::max<std::size_t>(mine.size, 1));
    auto const weight = alone ? 1 / (own_images * how.accumulate) : comm.size() / images_per_step;
    while (now.step < last) {
        if (how.in_step) { base.barrier(); }
        recorder.begin(now.step);
        auto const scale = weight * now.loss_scale;
        std::ranges::fill(gradient, 0.0F);
        for (int pass = 1; pass <= how.accumulate; ++pass) {
            auto const part = recorder.load(images);
            // In the last pass gradients travel while those of earlier layers are computed.
            auto const travel = !alone && how.moves != overlap::off && pass == how.accumulate;
            recorder.step.loss +=
                net.learn(now.parameters, part, static_cast<float>(scale), gradient,
                          travel ? ready_call(hand_over) : ready_call());
        }
        if (!alone && how.moves == overlap::off) {
            for (auto t = net.tensors().rbegin(); t != net.tensors().rend(); ++t) { hand_over(*t); }
        }
        recorder.computed();
        averages.flush();
        recorder.averaged();
        recorder.step.rate = rate_at(how, now.step, steps_per_epoch);
        if (how.on_loss == loss::go_on) { of.before = now; }
        if (accept(now, gradient, how)) { now.descend(gradient, recorder.step.rate, how.momentum); }
        ++now.step;
        if (alone && ends_alone(now.step)) {
            average_weights(comm, how, now);
            recorder.averaged();
        }
        recorder.end();

        if (base.rank() == 0 && what.is_time_to_save(now.step, last)) { what.save(now); }
        if (now.step % steps_per_epoch == 0 || now.step == last) {
            auto const seen = classify_test(base, what, net, now.parameters);
            recorder.epoch(gather_steps(base, recorder.taken()), seen);
        }
    }
}

}  // namespace trainer
