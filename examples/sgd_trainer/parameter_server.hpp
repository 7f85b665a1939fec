// SPDX-License-Identifier: BSD-3-Clause
// The baseline: a parameter server. Rank 0 holds the model; the others, its workers, send it their
// gradients and get parameters back. Everything passes through the one link of rank 0, whereas an
// all-reduce has every link carry the same.
#pragma once

#include "data_parallel.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace trainer {

namespace server_tag {
inline constexpr int gradient = 1, parameters = 2;
}

/// A worker: computes with the parameters that it has, and does not know of other workers.
inline void work_for_server(coll::communicator& comm, job const& what, state& now,
                            rank_journal& journal) {
    auto const& how = what.how;
    auto const worker = comm.rank() - 1;
    auto const mine = coll::block(static_cast<std::size_t>(how.batch), comm.size() - 1, worker);
    loader images(what.data, what.part(mine.first, mine.size), now.step * how.accumulate,
                  how.prefetch);
    network net = what.make_network();
    std::vector<float> gradient(net.parameter_count());
    // The average over its own images, or their part in the average over everybody's.
    auto const of = how.how == method::async_server ? static_cast<double>(mine.size) : how.batch;
    auto const scale = static_cast<float>(1 / (of * how.accumulate));
    for (auto const last = what.last_step(now.step); now.step < last; ++now.step) {
        journal.begin(now.step);
        std::ranges::fill(gradient, 0.0F);
        for (int pass = 0; pass < how.accumulate; ++pass) {
            journal.step.loss +=
                net.learn(now.parameters, journal.load(images), scale, gradient, {});
        }
        journal.computed();
        comm.send(gradient, 0, server_tag::gradient);
        comm.recv(now.parameters, 0, server_tag::parameters);
        journal.averaged();
        journal.end();
    }
}

/// The server's desk: takes gradients as they come, and gives parameters.
class server {
public:
    server(coll::communicator& comm, std::size_t parameters)
        : gradients(static_cast<std::size_t>(comm.size() - 1), std::vector<float>(parameters)),
          comm_(comm) {}

    std::vector<std::vector<float>> gradients;  ///< of each worker

    /// Waits for the next gradient, whoever it is from, and says which worker's. Where several have
    /// come it is the one that has been expected longest, so that nobody is left behind.
    int next() {
        for (;; std::this_thread::sleep_for(std::chrono::microseconds(20))) {
            auto const came =
                std::ranges::find_if(expected_, [](awaited& one) { return one.call.test(); });
            if (came == expected_.end()) { continue; }
            auto const worker = came->worker;
            expected_.erase(came);
            return worker;
        }
    }
    void expect(int worker) {
        expected_.push_back({worker, comm_.start_recv(gradients[static_cast<std::size_t>(worker)],
                                                      worker + 1, server_tag::gradient)});
    }
    void answer(int worker, std::vector<float> const& parameters) {
        comm_.send(parameters, worker + 1, server_tag::parameters);
    }

private:
    struct awaited {
        int worker;
        coll::pending call;
    };
    coll::communicator& comm_;
    std::vector<awaited> expected_;  // the longest first; goes before what it writes to
};

/// Synchronous: a step needs the gradients of all, so it takes as long as the slowest. They are
/// added in the order of the workers, whatever the order in which they came.
inline void serve_all(coll::communicator& comm, job const& what, state& now,
                      rank_journal& journal) {
    server desk(comm, now.parameters.size());
    std::vector<float> sum(now.parameters.size());
    for (auto const last = what.last_step(now.step); now.step < last;) {
        journal.begin(now.step);
        for (int w = 0; w < comm.size() - 1; ++w) { desk.expect(w); }
        journal.computed();
        for (int w = 0; w < comm.size() - 1; ++w) { (void)desk.next(); }
        std::ranges::fill(sum, 0.0F);
        for (auto const& g : desk.gradients) {
            for (std::size_t i = 0; i < sum.size(); ++i) { sum[i] += g[i]; }
        }
        journal.step.rate = rate_at(what.how, now.step, what.steps_per_epoch());
        now.descend(sum, journal.step.rate, what.how.momentum);
        for (int w = 0; w < comm.size() - 1; ++w) { desk.answer(w, now.parameters); }
        journal.averaged();
        ++now.step;
        journal.end();
        if (now.step % what.steps_per_epoch() == 0) { journal.keep(now.parameters); }
    }
}

/// Asynchronous: each gradient is used as it comes, and its worker goes on at once with what has
/// been learnt by then. Nobody waits for the slowest; but meanwhile others have changed the
/// parameters that a gradient belongs to: it is stale.
inline void serve_each(coll::communicator& comm, job const& what, state& now,
                       rank_journal& journal) {
    auto const workers = comm.size() - 1;
    auto const last = what.last_step(now.step);
    auto const gradients = (last - now.step) * workers;
    server desk(comm, now.parameters.size());
    std::vector<int> left(static_cast<std::size_t>(workers), last - now.step);
    std::vector<int> fetched_at(static_cast<std::size_t>(workers));
    for (int w = 0; w < workers; ++w) { desk.expect(w); }
    for (int update = 0; update < gradients; ++update) {
        if (update % workers == 0) { journal.begin(now.step); }
        if (update % workers == 0) { journal.computed(); }
        auto const worker = static_cast<std::size_t>(desk.next());
        auto const rate = rate_at(what.how, now.step, what.steps_per_epoch()) / workers;
        now.descend(desk.gradients[worker], rate, what.how.momentum);
        desk.answer(static_cast<int>(worker), now.parameters);
        journal.step.rate = rate;
        journal.step.stale += update - fetched_at[worker];
        fetched_at[worker] = update + 1;
        if (--left[worker] > 0) { desk.expect(static_cast<int>(worker)); }
        if ((update + 1) % workers != 0) { continue; }
        ++now.step;  // as many images as a step of the others
        journal.averaged();
        journal.end();
        if (now.step % what.steps_per_epoch() == 0) { journal.keep(now.parameters); }
    }
}

/// As train, over a server and its workers. What has been learnt is looked at in the end, so that
/// the looking keeps nobody from learning.
inline void train_by_server(coll::communicator& base, coll::communicator& comm, job const& what,
                            state& now, rank_journal& journal) {
    auto const first = now.step;
    if (base.rank() > 0) {
        work_for_server(comm, what, now, journal);
    } else if (what.how.how == method::server) {
        serve_all(comm, what, now, journal);
    } else {
        serve_each(comm, what, now, journal);
    }
    share(base, now);
    auto const taken = gather_steps(base, journal.taken());
    network net = what.make_network();
    auto kept = journal.kept();  // of the epochs, on rank 0
    auto const last = now.step;
    for (auto from = first; from < last;) {
        auto const to =
            std::min((from / what.steps_per_epoch() + 1) * what.steps_per_epoch(), last);
        auto parameters = now.parameters;
        if (base.rank() == 0 && !kept.empty()) {
            parameters = std::move(kept.front());
            kept.erase(kept.begin());
        }
        base.broadcast(parameters, 0);
        journal.epoch(steps_between(taken, from, to), classify_test(base, what, net, parameters));
        from = to;
    }
    if (base.rank() == 0) { what.save(now); }
}

}  // namespace trainer
