// SPDX-License-Identifier: BSD-3-Clause
// The page to read: as data_parallel.hpp, but gradients stay on the devices, and are averaged
// there.
#include "run.hpp"

#include "../rank.hpp"
#include "network.hpp"

#include <collectives/cuda.hpp>

#include <memory>

namespace trainer {
namespace {

/// Trains from `now`. `base` is for words of the host; what is large travels over `comm`.
void train_over(coll::communicator& base, coll::communicator& comm, device_math& math,
                job const& what, state& now, step_recorder& recorder) {
    auto const& how = what.how;
    auto const steps_per_epoch = what.steps_per_epoch();
    auto const mine = coll::block(static_cast<std::size_t>(how.batch), comm.size(), comm.rank());
    loader images(what.data, what.part(mine.first, mine.size), now.step * how.accumulate,
                  what.read());
    network host = what.make_network();
    device_network net(math, host.tensors(), static_cast<int>(what.data.pixels_per_image()),
                       how.hidden, mine.size);
    net.put(now.parameters, now.velocity);
    coll::fusion_buffer averages(comm, {.threshold = how.threshold,
                                        .op = coll::average{},
                                        .algorithm = coll::parse_algorithm(how.algorithm),
                                        .segment = how.segment,
                                        .reproducible = how.reproducible,
                                        .stream = math.stream(),
                                        .progress_thread = how.moves == overlap::thread,
                                        .compress = wire_format(how.wire)});
    auto const hand_over = [&](tensor const& t) {
        timed const time(recorder.step.handing_ns);
        (void)averages.add(net.gradient().subspan(t.first, t.size), t.name);
    };

    for (auto const last = what.last_step(now.step); now.step < last;) {
        recorder.begin(now.step);
        auto const scale = comm.size() / (static_cast<double>(how.batch) * how.accumulate);
        net.begin_step();
        for (int pass = 1; pass <= how.accumulate; ++pass) {
            auto const travel = how.moves != overlap::off && pass == how.accumulate;
            net.learn(recorder.load(images), static_cast<float>(scale),
                      travel ? ready_call(hand_over) : ready_call());
        }
        if (how.moves == overlap::off) {
            for (auto t = host.tensors().rbegin(); t != host.tensors().rend(); ++t) {
                hand_over(*t);
            }
        }
        recorder.computed();
        averages.flush();
        recorder.averaged();
        recorder.step.loss = net.loss();
        recorder.step.rate = rate_at(how, now.step, steps_per_epoch);
        net.descend(recorder.step.rate, how.momentum);
        ++now.step;
        recorder.end();

        auto const saves = what.is_time_to_save(now.step, last);
        auto const ends_epoch = now.step % steps_per_epoch == 0 || now.step == last;
        if (!saves && !ends_epoch) { continue; }
        net.get(now.parameters, now.velocity);
        if (ends_epoch) {
            auto const seen = classify_test(base, what, host, now.parameters);
            recorder.epoch(gather_steps(base, recorder.taken()), seen);
        }
        if (base.rank() == 0 && saves) { what.save(now); }
    }
}

void train_on_device(coll::communicator& base, work const& w) {
    auto const devices = device_count();
    auto const mine = devices == 0 ? 0 : base.rank() % devices;
    auto comm = coll::cuda::communicator(base, mine);
    auto const math = make_device_math(mine);
    job const what{w.how, w.data};
    auto now = w.start;
    auto* const book = base.rank() == 0 ? &w.book : nullptr;
    step_recorder recorder(book, nothing_sent);
    share(base, now);
    if (book != nullptr) { book->begun(now.step, base.size()); }
    train_over(base, comm, *math, what, now, recorder);
    auto const agree = same_everywhere(base, now.parameters);
    if (book != nullptr) { book->ended(now, agree); }
}

}  // namespace

void run_on_devices(work const& w) {
    on_ranks(w.how, [&](coll::communicator& comm) { train_on_device(comm, w); });
}

}  // namespace trainer
