// SPDX-License-Identifier: BSD-3-Clause
// Runs the training over several ranks; the adaptors count, slow down and trace.
#include "measure.hpp"

#include "data_parallel.hpp"
#include "mailbox.hpp"
#include "progress.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace trainer {
namespace {

void run(transport where, int ranks, auto const& body) {
    if (where == transport::processes) {
        coll::shm::run(ranks, body);
    } else {
        coll::threads::run(ranks, body);
    }
}

double median(std::vector<double> values) {
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

std::int64_t duration(std::vector<coll::trace_event> const& events) {
    return std::ranges::max(events, {}, &coll::trace_event::end_ns).end_ns -
           std::ranges::min(events, {}, &coll::trace_event::begin_ns).begin_ns;
}

/// The part of an outcome that fits into a mailbox as it is.
struct figures {
    double step_seconds;
    double all_reduce_seconds;
    std::uint64_t sent;
    bool ranks_agree;
};

/// Whether all ranks hold the same bits; the answer is right on rank 0.
bool same_everywhere(auto& comm, std::vector<float> const& values) {
    auto const ranks = static_cast<std::size_t>(comm.size());
    std::vector<float> all(comm.rank() == 0 ? ranks * values.size() : 0);
    comm.gather(values, all, 0);
    bool same = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
        same = same && std::bit_cast<std::uint32_t>(all[i]) ==
                           std::bit_cast<std::uint32_t>(values[i % values.size()]);
    }
    return same;
}

/// What each rank runs: `slow` is the communicator it trains over, `counted` the one below it that
/// counts, and `comm`, uncounted and unlimited, collects the results.
void train_and_report(auto& comm, auto& counted, auto& slow, plan const& how,
                      std::string const& label, mailbox& results) {
    counted.transport().reset();  // with() has sent a few bytes
    std::vector<double> accuracies;
    progress line(label, comm.rank() == 0);
    auto const epochs = how.steps / how.steps_per_epoch();
    auto const evaluate = [&](int epoch, std::vector<float> const& parameters) {
        if (comm.rank() != 0) { return; }
        accuracies.push_back(accuracy(parameters, how.data->test));
        line.show(epoch, epochs, accuracies.back());
    };
    auto const learnt = train(slow, how, common_start(comm, how.seed), evaluate);
    std::array<std::uint64_t, 1> sent{counted.transport().sent()};
    comm.all_reduce(sent, coll::max{});
    auto const agree = same_everywhere(comm, learnt.parameters);
    if (comm.rank() == 0) {
        results.post(std::vector{figures{median(learnt.step_seconds),
                                         median(learnt.all_reduce_seconds), sent[0], agree}});
        results.post(learnt.parameters);
        results.post(accuracies);
    }
}

}  // namespace

outcome run_training(transport where, int ranks, plan const& how, double bytes_per_second,
                     std::string const& label) {
    mailbox results;
    run(where, ranks, [&](auto& comm) {
        auto counted = comm.with(coll::counted{});
        if (bytes_per_second > 0) {
            auto slow = counted.with(coll::throttled{.bytes_per_second = bytes_per_second});
            train_and_report(comm, counted, slow, how, label, results);
        } else {
            train_and_report(comm, counted, counted, how, label, results);
        }
    });
    results.open();
    auto const seen = results.take<figures>().front();
    return {seen.step_seconds, seen.all_reduce_seconds, seen.sent,
            seen.ranks_agree,  results.take<float>(),   results.take<double>()};
}

std::vector<coll::trace_event> run_traced(transport where, int ranks, coll::any_algorithm algorithm,
                                          std::size_t count, double bytes_per_second) {
    mailbox results;
    run(where, ranks, [&](auto& comm) {
        auto slow = comm.with(coll::counted{})  // as above, so that it is compiled but once
                        .with(coll::throttled{.bytes_per_second = bytes_per_second});
        auto traced = slow.with(coll::traced{});
        std::vector<float> values(count, 1.0F);
        std::vector<coll::trace_event> quickest;
        for (int run = 0; run < 9; ++run) {
            comm.barrier();
            traced.transport().reset();
            traced.all_reduce(values, coll::average{}, {.algorithm = algorithm, .segment = 0});
            auto const mine = traced.transport().events();
            std::vector<coll::trace_event> all(mine.size() * static_cast<std::size_t>(ranks));
            comm.gather(mine, all, 0);  // on a ring every rank takes equally many steps
            if (quickest.empty() || duration(all) < duration(quickest)) { quickest = all; }
        }
        if (comm.rank() == 0) { results.post(quickest); }
    });
    results.open();
    return results.take<coll::trace_event>();
}

}  // namespace trainer
