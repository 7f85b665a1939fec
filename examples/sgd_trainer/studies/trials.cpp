// SPDX-License-Identifier: BSD-3-Clause
#include "trials.hpp"

#include "../data_parallel.hpp"
#include "../report.hpp"

#include <collectives/collectives.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace trainer::studies {
namespace {

namespace coll = collectives;

/// Keeps the accuracy, on every rank.
class last_accuracy : public observer {
public:
    double value = 0;

    void epoch(std::span<step_record const> /*steps*/, std::span<float const> seen) override {
        value = accuracy_of(seen);
    }
    void ended(state const& /*now*/, bool /*ranks_agree*/) override {}
};

/// A group of ranks trains a trial until it has had so many epochs.
void train_trial(coll::communicator& group, search const& what, data_set const& data, trial& t,
                 int epochs, int dies_at) {
    auto how = what.how;
    how.rate = t.rate;
    how.batch = t.batch;
    job const work{how, data};
    how.stop_after = (epochs - t.epochs) * work.steps_per_epoch();
    learnt of{t.now};
    of.first = t.now.step;
    last_accuracy book;
    step_recorder mine(
        &book, [] { return std::uint64_t{0}; }, dies_at < 0 ? -1 : t.now.step + how.stop_after / 2);
    train(group, group, work, of, mine);
    t = {t.rate, t.batch, epochs, book.value, group.size(), of.now};
}

/// Where the search stands: rungs done, trials left, and these in their order.
struct position {
    std::size_t rung = 0, left = 0;
};

/// All ranks stand where rank 0 stands. They differ where one was lost as a rung ended.
void agree(coll::communicator& comm, position& at, std::vector<trial>& trials) {
    std::vector<double> order{static_cast<double>(at.rung), static_cast<double>(at.left)};
    for (auto const& t : trials) {
        order.push_back(t.rate);
        order.push_back(t.batch);
    }
    comm.broadcast(order, 0);
    at = {static_cast<std::size_t>(order[0]), static_cast<std::size_t>(order[1])};
    for (std::size_t i = 0; i < trials.size(); ++i) {
        auto const wanted = std::find_if(trials.begin(), trials.end(), [&](trial const& t) {
            return t.rate == order[2 + 2 * i] && t.batch == static_cast<int>(order[3 + 2 * i]);
        });
        std::swap(trials[i], *wanted);
    }
}

/// Every rank learns of each trial what the rank knows that is furthest.
void exchange(coll::communicator& comm, std::vector<trial>& trials) {
    std::vector<int> best(trials.size());
    for (std::size_t i = 0; i < trials.size(); ++i) {
        best[i] = trials[i].epochs * comm.size() + comm.size() - 1 - comm.rank();
    }
    comm.all_reduce(best, coll::max{});
    auto least = std::vector<int>(trials.size());
    for (std::size_t i = 0; i < trials.size(); ++i) { least[i] = trials[i].epochs; }
    comm.all_reduce(least, coll::min{});
    for (std::size_t i = 0; i < trials.size(); ++i) {
        auto const epochs = best[i] / comm.size();
        if (epochs == least[i]) { continue; }  // all know it
        auto const root = comm.size() - 1 - best[i] % comm.size();
        auto now = trials[i].now;
        share(comm, now, root);
        std::array<double, 2> facts{trials[i].accuracy, static_cast<double>(trials[i].ranks)};
        comm.broadcast(facts, root);
        trials[i] = {trials[i].rate, trials[i].batch, epochs, facts[0], static_cast<int>(facts[1]),
                     std::move(now)};
    }
}

/// Deals the trials that have fewer epochs than that to groups of ranks, and trains this rank's.
/// The first `left` are those that are still in the search.
rung_seen train_share(coll::communicator& comm, search const& what, data_set const& data,
                      std::vector<trial>& trials, std::size_t left, int epochs, bool one_dies) {
    std::vector<std::size_t> todo;
    for (std::size_t i = 0; i < left; ++i) {
        if (trials[i].epochs < epochs) { todo.push_back(i); }
    }
    auto const groups = std::min(static_cast<int>(todo.size()), comm.size());
    auto const mine = comm.rank() * groups / comm.size();
    auto group = comm.split(mine, comm.rank());
    bool const dies = one_dies && comm.rank() == what.how.victim.rank;
    for (std::size_t k = 0; k < todo.size(); ++k) {
        if (static_cast<int>(k) % groups != mine) { continue; }
        train_trial(group, what, data, trials[todo[k]], epochs, dies ? 0 : -1);
    }
    return {epochs, static_cast<int>(todo.size()), groups, comm.size()};
}

/// Goes on with a rung, or on to the next one once every rank has all results.
void advance(coll::communicator& comm, search const& what, data_set const& data, position& at,
             std::vector<trial>& trials, bool one_dies,
             std::function<void(rung_seen const&)> const& tell) {
    agree(comm, at, trials);
    exchange(comm, trials);
    auto const& now = what.rungs[at.rung];
    auto const end = trials.begin() + static_cast<std::ptrdiff_t>(at.left);
    if (!std::all_of(trials.begin(), end, [&](trial const& t) { return t.epochs >= now.epochs; })) {
        return tell(train_share(comm, what, data, trials, at.left, now.epochs, one_dies));
    }
    // All ranks have the same numbers, so they agree.
    std::stable_sort(trials.begin(), end,
                     [](trial const& a, trial const& b) { return a.accuracy > b.accuracy; });
    at.left = std::max<std::size_t>(1, at.left / static_cast<std::size_t>(now.keep));
    ++at.rung;
}

}  // namespace

int find_best(coll::communicator& all, search const& what, data_set const& data,
              std::vector<trial>& trials, std::function<void(rung_seen const&)> const& tell) {
    std::optional<coll::communicator> rest;
    auto* comm = &all;
    for (position at{0, trials.size()}; at.rung < what.rungs.size();) {
        bool const one_dies = what.dies_in_rung == static_cast<int>(at.rung) && comm == &all;
        try {
            advance(*comm, what, data, at, trials, one_dies, tell);
        } catch (coll::usage_error const&) { throw; } catch (coll::error const&) {
            rest.emplace(comm->shrink());
            comm = &*rest;
        }
    }
    return comm->rank();
}

std::vector<trial> grid(settings const& how, data_set const& data, std::vector<double> const& rates,
                        std::vector<int> const& batches) {
    auto const net = job{how, data}.make_network();
    state first;
    first.parameters = net.initial_parameters(how.seed);
    first.velocity.resize(first.parameters.size());
    std::vector<trial> all;
    for (auto const batch : batches) {
        for (auto const rate : rates) { all.push_back({rate, batch, 0, 0, 0, first}); }
    }
    return all;
}

}  // namespace trainer::studies
