// SPDX-License-Identifier: BSD-3-Clause
// The baseline: parameter servers. The first ranks hold the model, each a block of it; the others,
// their workers, send them gradients and get parameters back. Everything passes through the links
// of the few servers, whereas an all-reduce has every link carry the same.
#pragma once

#include "async_server.hpp"
#include "data_parallel.hpp"
#include "server_messages.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace trainer {

/// A worker: computes with the parameters that it has, and does not know of other workers.
inline void work_for_servers(coll::communicator& comm, job const& what, int last, state& now,
                             step_recorder& recorder) {
    auto const& how = what.how;
    auto const worker = comm.rank() - how.servers;
    auto const workers = comm.size() - how.servers;
    auto const mine = coll::block(static_cast<std::size_t>(how.batch), workers, worker);
    loader images(what.data, what.part(mine.first, mine.size), now.step * how.accumulate,
                  what.read());
    paced_network net(what.make_network(), how, comm.rank());
    std::vector<float> gradient(net.parameter_count());
    worker_side ask(comm, how, gradient.size());
    // The average over its own images, or their part in the average over everybody's.
    bool const waits_for_none = how.how == method::async_server;
    auto const of = waits_for_none ? static_cast<double>(mine.size) : how.batch;
    auto const scale = static_cast<float>(1 / (of * how.accumulate));
    for (bool goes_on = now.step < last; goes_on; ++now.step) {
        recorder.begin(now.step);
        std::ranges::fill(gradient, 0.0F);
        for (int pass = 0; pass < how.accumulate; ++pass) {
            recorder.step.loss +=
                net.learn(now.parameters, recorder.load(images), scale, gradient, {});
        }
        recorder.computed();
        bool const told_to = ask.exchange(gradient, now.parameters);
        goes_on = waits_for_none ? told_to : now.step + 1 < last;
        recorder.averaged();
        recorder.end();
    }
    if (waits_for_none) { ask.finish(); }
}

/// Synchronous: a step needs the gradients of all, so it takes as long as the slowest. They are
/// added in the order of the workers, whatever the order in which they arrived.
inline void serve_all(coll::communicator& comm, job const& what, int last, state& now,
                      step_recorder& recorder) {
    server_side here(comm, what.how, now.parameters.size());
    std::vector<float> sum(here.gradient(0).size());
    while (now.step < last) {
        recorder.begin(now.step);
        for (int w = 0; w < here.workers(); ++w) { here.expect(w); }
        recorder.computed();
        for (int w = 0; w < here.workers(); ++w) { (void)here.next(); }
        std::ranges::fill(sum, 0.0F);
        for (int w = 0; w < here.workers(); ++w) {
            auto const of_worker = here.gradient(w);
            for (std::size_t i = 0; i < sum.size(); ++i) { sum[i] += of_worker[i]; }
        }
        recorder.step.rate = rate_at(what.how, now.step, what.steps_per_epoch());
        now.descend(sum, recorder.step.rate, what.how.momentum, here.first());
        for (int w = 0; w < here.workers(); ++w) { here.answer(w, now.parameters, true); }
        recorder.averaged();
        ++now.step;
        recorder.end();
        if (now.step % what.steps_per_epoch() == 0) { recorder.keep(now.parameters); }
    }
}

/// A worker that nobody waits for takes more or fewer steps than there are of all together. Gives
/// one record for each of these, and in it what was done meanwhile.
inline std::vector<step_record> as_steps(std::vector<step_record> const& taken, int first,
                                         int steps) {
    std::vector<step_record> all(static_cast<std::size_t>(steps));
    auto end_ns = taken.empty() ? 0 : taken.front().begin_ns;
    std::size_t next = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
        auto& to = all[k];
        to.step = first + static_cast<int>(k);
        to.begin_ns = end_ns;
        std::int64_t waited = 0;
        for (; next < taken.size() * (k + 1) / all.size(); ++next) {
            auto const& from = taken[next];
            waited += from.averaged_ns - from.computed_ns;
            to.loss += from.loss;
            to.loading_ns += from.loading_ns;
            to.sent += from.sent;
            end_ns = from.end_ns;
        }
        to.averaged_ns = to.end_ns = end_ns;
        to.computed_ns = end_ns - waited;
    }
    return all;
}

/// Every rank gets each block of the parameters, or of what belongs to them, from its server.
inline void assemble(coll::communicator& base, settings const& how, std::vector<float>& values) {
    for (int s = 0; s < how.servers; ++s) {
        auto const part = part_of(s, how, values.size());
        base.broadcast(std::span(values).subspan(part.first, part.size), s);
    }
}

/// As train, over servers and their workers. What has been learnt is looked at in the end, so that
/// the looking keeps nobody from learning.
inline void train_by_server(coll::communicator& base, coll::communicator& comm, job const& what,
                            learnt& of, step_recorder& recorder) {
    auto& now = of.now;
    auto const first = now.step;
    auto const last = what.last_step(of.first);
    bool const works = base.rank() >= what.how.servers;
    if (first == last) {
        // A rank was lost after the last step: nothing is left to learn.
    } else if (works) {
        work_for_servers(comm, what, last, now, recorder);
    } else if (what.how.how == method::server) {
        serve_all(comm, what, last, now, recorder);
    } else {
        serve_each(comm, what, last, now, recorder);
    }
    assemble(base, what.how, now.parameters);
    assemble(base, what.how, now.velocity);
    share(base, now);
    auto mine = recorder.taken();
    if (works && what.how.how == method::async_server) {
        mine = as_steps(mine, first, last - first);
    }
    auto const taken = gather_steps(base, mine);
    network net = what.make_network();
    auto kept = recorder.kept();  // of the epochs, on servers
    for (auto from = first; from < last;) {
        auto const to =
            std::min((from / what.steps_per_epoch() + 1) * what.steps_per_epoch(), last);
        auto parameters = now.parameters;
        if (!kept.empty()) {
            parameters = std::move(kept.front());
            kept.erase(kept.begin());
        }
        assemble(base, what.how, parameters);
        recorder.epoch(steps_between(taken, from, to), classify_test(base, what, net, parameters));
        from = to;
    }
    if (base.rank() == 0) { what.save(now); }
}

}  // namespace trainer
