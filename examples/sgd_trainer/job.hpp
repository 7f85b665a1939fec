// SPDX-License-Identifier: BSD-3-Clause
// What all ranks of a training know before it begins, and what each writes down of it.
#pragma once

#include "data.hpp"
#include "loader.hpp"
#include "network.hpp"
#include "optimizer.hpp"
#include "settings.hpp"
#include "steps.hpp"

#include <collectives/communicator.hpp>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace trainer {

/// A training: which, on what.
struct job {
    settings const& how;
    data_set const& data;

    network make_network() const {
        return {how.model, data.side, how.hidden, how.precision, data.channels};
    }
    int steps_per_epoch() const {
        return static_cast<int>(data.train.size()) / how.batch / how.accumulate;
    }
    /// Where this run ends that begins at step `from`.
    int last_step(int from) const {
        auto const all = how.epochs * steps_per_epoch();
        return how.stop_after > 0 ? std::min(all, from + how.stop_after) : all;
    }
    shard part(std::size_t first, std::size_t count) const {
        return {static_cast<std::size_t>(how.batch), first, count,
                steps_per_epoch() * how.accumulate, how.seed};
    }
    reading read() const { return {how.prefetch, how.loaders, {how.disk_rate, how.disk_delay}}; }
    bool is_time_to_save(int step, int last) const {
        return step == last || (how.checkpoint_every > 0 && step % how.checkpoint_every == 0);
    }
    /// Writes the checkpoint if one is wanted.
    void save(state const& now) const;
};

using ready_call = std::function<void(tensor const&)>;

/// Adds the time of its life to `to`, in nanoseconds.
class timed {
public:
    explicit timed(std::int64_t& to) : to_(to), begin_(now_ns()) {}
    timed(timed const&) = delete;
    timed& operator=(timed const&) = delete;
    ~timed() { to_ += now_ns() - begin_; }

private:
    std::int64_t& to_;
    std::int64_t begin_;
};

struct traffic {
    std::uint64_t bytes = 0, messages = 0;
};

/// Where rank 0 takes what is worth knowing: see report.hpp.
class observer {
public:
    observer() = default;
    observer(observer const&) = delete;
    observer& operator=(observer const&) = delete;
    virtual ~observer() = default;

    virtual void begun(int /*first_step*/, int /*ranks*/) {}
    /// Ranks were lost; so many go on after this step.
    virtual void gone_on(int /*step*/, int /*ranks*/) {}
    virtual void stepped(int /*steps_done*/) {}
    /// The steps of all ranks since the last time, rank 0's first, and how the test images were
    /// classified after them: [class x class_count + seen as].
    virtual void epoch(std::span<step_record const> steps, std::span<float const> seen) = 0;
    virtual void ended(state const& now, bool ranks_agree) = 0;
    /// What all ranks together sent while they classified, and to add up what they saw.
    virtual void sent(traffic const& /*meanwhile*/, traffic const& /*afterwards*/) {}
};

/// A rank's own: a record per step. `sent` gives the bytes it has sent so far; receives
/// may be under way then. In experiments the rank's process is killed as step `dies_at` begins.
class step_recorder {
public:
    step_recorder(observer* all, std::function<std::uint64_t()> sent, int dies_at = -1)
        : all_(all), sent_(std::move(sent)), dies_at_(dies_at) {}

    step_record step;  ///< that is under way

    void begin(int number) {
        if (number == dies_at_) { (void)std::raise(SIGKILL); }
        step = {};
        step.step = number;
        step.sent = sent_();
        step.begin_ns = now_ns();
    }
    batch load(loader& images) {
        timed const time(step.loading_ns);
        return images.next();
    }
    void computed() { step.computed_ns = now_ns(); }
    void averaged() { step.averaged_ns = now_ns(); }
    void end() {
        step.end_ns = now_ns();
        step.sent = sent_() - step.sent;
        steps_.push_back(step);
        if (all_ != nullptr) { all_->stepped(step.step + 1); }
    }
    /// The steps since it was called last.
    std::vector<step_record> taken() { return std::exchange(steps_, {}); }
    void epoch(std::vector<step_record> const& of_all, std::vector<float> const& seen) {
        if (all_ != nullptr) { all_->epoch(of_all, seen); }
    }
    /// Parameters that are to be looked at later.
    void keep(std::vector<float> const& parameters) { kept_.push_back(parameters); }
    std::vector<std::vector<float>> kept() { return std::exchange(kept_, {}); }

private:
    observer* all_;
    std::function<std::uint64_t()> sent_;
    int dies_at_;
    std::vector<step_record> steps_;
    std::vector<std::vector<float>> kept_;
};

/// All ranks' records, one rank's after the other's, on rank 0; every rank has equally many.
inline std::vector<step_record> gather_steps(collectives::communicator& comm,
                                             std::vector<step_record> const& mine) {
    std::vector<step_record> all(comm.rank() == 0 ? mine.size() * std::size_t(comm.size()) : 0);
    comm.gather(mine, all, 0);
    return all;
}

/// Of such records, those of steps from..to - 1.
inline std::vector<step_record> steps_between(std::vector<step_record> const& all, int from,
                                              int to) {
    std::vector<step_record> some;
    std::ranges::copy_if(all, std::back_inserter(some),
                         [&](auto const& s) { return s.step >= from && s.step < to; });
    return some;
}

}  // namespace trainer
