// SPDX-License-Identifier: BSD-3-Clause
// A server that waits for nobody, or only so that no worker gets too far ahead.
#pragma once

#include "job.hpp"
#include "server_messages.hpp"

#include <algorithm>
#include <vector>

namespace trainer {

/// How far each worker is, as a server sees it.
class pace_of_workers {
public:
    explicit pace_of_workers(int workers) : workers_(static_cast<std::size_t>(workers)) {}

    /// A gradient arrived that is the `update`-th. Gives how many arrived since its worker had its
    /// parameters: how stale it is.
    int arrived(int worker, int update) {
        auto& w = of(worker);
        ++w.done;
        w.waits = true;
        return update - w.fetched_at;
    }
    void answered(int worker, int updates) {
        of(worker).waits = false;
        of(worker).fetched_at = updates;
    }
    void left(int worker) {
        of(worker).waits = false;
        of(worker).here = false;
    }
    bool waits(int worker) const { return of(worker).waits; }
    bool all_left() const {
        return std::ranges::none_of(workers_, [](auto const& w) { return w.here; });
    }
    /// Steps that a worker has done and the slowest has not.
    int lead(int worker) const {
        auto least = of(worker).done;
        for (auto const& w : workers_) {
            if (w.here) { least = std::min(least, w.done); }
        }
        return of(worker).done - least;
    }

private:
    struct one {
        int done = 0, fetched_at = 0;  // its steps; after which update it had its parameters
        bool waits = false, here = true;
    };
    one& of(int worker) { return workers_[static_cast<std::size_t>(worker)]; }
    one const& of(int worker) const { return workers_[static_cast<std::size_t>(worker)]; }

    std::vector<one> workers_;
};

/// The learning rate for one gradient, where a server uses each as it arrives. Among equal workers
/// workers - 1 others arrive before it. A gradient that is staler belongs to older parameters, and
/// with damping it counts for less.
inline double rate_of_gradient(double rate, int stale, int workers, bool damped) {
    auto const usual = std::max(1, workers - 1);
    return rate / workers / (damped ? std::max(1.0, static_cast<double>(stale) / usual) : 1.0);
}

/// Asynchronous: each gradient is used as it comes, and its worker goes on at once with what has
/// been learnt by then; the quick ones take more steps. Nobody waits for the slowest, or, with a
/// bound, nobody gets further ahead of it. But meanwhile others have changed the parameters that a
/// gradient belongs to: it is stale. There must be a step to take.
inline void serve_each(coll::communicator& comm, job const& what, int last, state& now,
                       step_recorder& recorder) {
    auto const& how = what.how;
    server_side here(comm, how, now.parameters.size());
    auto const workers = here.workers();
    pace_of_workers pace(workers);
    bool const counts = comm.rank() == 0;  // says when there are enough gradients
    auto const wanted = (last - now.step) * workers;
    int begun = workers, update = 0;  // gradients under way or here; and used
    auto const may_go_on = [&](int w) {
        return how.staleness < 0 || pace.lead(w) <= how.staleness || (counts && begun == wanted);
    };
    auto const begin_step = [&] {  // before its first gradient is waited for
        recorder.begin(now.step);
        recorder.computed();
    };
    auto const use = [&](int w) {
        auto& s = recorder.step;
        auto const stale = pace.arrived(w, update);
        s.rate = rate_of_gradient(rate_at(how, now.step, what.steps_per_epoch()), stale, workers,
                                  how.damped);
        now.descend(here.gradient(w), s.rate, how.momentum, here.first());
        s.stale += stale;
        s.most_stale = std::max(s.most_stale, stale);
        ++update;
    };
    auto const end_step = [&] {
        ++now.step;  // as many images as a step of the others
        recorder.averaged();
        recorder.end();
        if (now.step % what.steps_per_epoch() == 0) { recorder.keep(now.parameters); }
        if (now.step < last) { begin_step(); }
    };
    begin_step();
    for (int w = 0; w < workers; ++w) { here.expect(w); }
    while (!pace.all_left()) {
        auto const arrived = here.next();
        bool const is_gradient = here.goes_on(arrived);
        if (is_gradient) {
            use(arrived);
        } else {
            pace.left(arrived);
        }
        for (int w = 0; w < workers; ++w) {
            if (!pace.waits(w) || !may_go_on(w)) { continue; }
            bool const goes_on = !counts || begun < wanted;
            here.answer(w, now.parameters, goes_on);
            pace.answered(w, update);
            if (!goes_on) {
                pace.left(w);
                continue;
            }
            recorder.step.ahead = std::max(recorder.step.ahead, pace.lead(w));
            ++begun;
            here.expect(w);  // to a server that does not count, if only to say that it leaves
        }
        if (is_gradient && update % workers == 0) { end_step(); }
    }
}

}  // namespace trainer
