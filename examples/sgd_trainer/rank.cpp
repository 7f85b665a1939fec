// SPDX-License-Identifier: BSD-3-Clause
// The training of a rank, on threads and processes that this program starts: what the demo needs.
#include "rank.hpp"

#include "parameter_server.hpp"

#include <collectives/collectives.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace trainer {
namespace {

/// How many ranks there are is known once they have met: a launcher may have started them.
void check_straggler(settings const& how, int ranks) {
    if (how.straggler.rank >= ranks) {
        throw std::runtime_error(
            fmt::format("--straggle names rank {}, which is not there: there are {}",
                        how.straggler.rank, ranks));
    }
    if (how.how != method::all_reduce && how.straggler.rank >= 0 &&
        how.straggler.rank < how.servers) {
        throw std::runtime_error(fmt::format(
            "--straggle names rank {}, a server: it computes no gradients", how.straggler.rank));
    }
}

/// A rank's whole life, but for losses. Steps are taken over `comm`, all else over `base`; `sent`
/// tells the bytes that this rank has sent.
void train_rank(coll::communicator& base, coll::communicator& comm, job const& what, learnt& of,
                observer& all, std::function<std::uint64_t()> sent) {
    auto& now = of.now;
    if (what.how.how != method::all_reduce && base.size() <= what.how.servers) {
        throw std::runtime_error("a parameter server needs a worker: --ranks " +
                                 std::to_string(what.how.servers + 1) + " or more");
    }
    if (!of.begun) { check_straggler(what.how, base.size()); }  // who is lost later was there
    auto* const book = base.rank() == 0 ? &all : nullptr;
    bool const dies = base.rank() == what.how.victim.rank && base.size() == what.how.ranks;
    step_recorder mine(book, std::move(sent), dies ? what.how.victim.step : -1);
    share(base, now);
    auto const goes_on = std::exchange(of.begun, true);
    if (!goes_on) { of.first = now.step; }
    if (book != nullptr && goes_on) { book->gone_on(now.step, base.size()); }
    if (book != nullptr && !goes_on) { book->begun(now.step, base.size()); }
    if (what.how.how == method::all_reduce) {
        train(base, comm, what, of, mine);
    } else {
        train_by_server(base, comm, what, of, mine);
    }
    auto const agree = same_everywhere(base, now.parameters);
    if (book != nullptr) { book->ended(now, agree); }
}

/// The ring's all_reduce over `comm`, whose messages `trace` has.
void trace_rank(coll::communicator& base, coll::communicator& comm, coll::traced& trace,
                work const& w) {
    auto const duration = [](std::vector<coll::trace_event> const& events) {
        return std::ranges::max(events, {}, &coll::trace_event::end_ns).end_ns -
               std::ranges::min(events, {}, &coll::trace_event::begin_ns).begin_ns;
    };
    std::vector<float> values(w.start.parameters.size(), 1.0F);
    std::vector<coll::trace_event> quickest;
    for (int run = 0; run < 9; ++run) {
        base.barrier();
        trace.reset();
        comm.all_reduce(values, coll::sum{}, {.algorithm = coll::ring{}, .segment = 0});
        auto const seen = trace.events();
        std::vector<coll::trace_event> const mine(seen.begin(), seen.end());
        std::vector<coll::trace_event> all(mine.size() * std::size_t(base.size()));
        base.gather(mine, all, 0);  // on a ring every rank takes equally many steps
        if (quickest.empty() || duration(all) < duration(quickest)) { quickest = all; }
    }
    if (base.rank() == 0) { w.tell(quickest); }
}

}  // namespace

bool same_everywhere(coll::communicator& comm, std::vector<float> const& values) {
    std::vector<float> all(comm.rank() == 0 ? std::size_t(comm.size()) * values.size() : 0);
    comm.gather(values, all, 0);
    bool same = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
        same = same && std::bit_cast<std::uint32_t>(all[i]) ==
                           std::bit_cast<std::uint32_t>(values[i % values.size()]);
    }
    return same;
}

void on_own_ranks(settings const& how, rank_body const& body) {
    if (how.where == transport::threads) { return coll::threads::run(how.ranks, body); }
    coll::shm::run(how.ranks, body);
}

void work_on(coll::communicator& base, work const& w, learnt& of) {
    job const what{w.how, w.data};
    if (!w.how.counted && w.how.link == 0 && w.kind == task::train) {
        return train_rank(base, base, what, of, w.book, nothing_sent);
    }
    coll::counted counts;
    coll::traced trace;
    auto counting = base.with(counts);
    auto const latency = std::chrono::nanoseconds(std::llround(w.how.latency * 1e9));
    auto comm =
        w.how.link > 0 ? counting.with(coll::throttled{w.how.link, latency}) : std::move(counting);
    if (w.kind == task::train) {
        return train_rank(base, comm, what, of, w.book,
                          [counts] { return std::uint64_t{counts.sent()}; });
    }
    auto traced = comm.with(trace);
    trace_rank(base, traced, trace, w);
}

void run_own(work const& w) {
    on_own_ranks(w.how, [&](coll::communicator& comm) {
        learnt of{w.start};
        work_on(comm, w, of);
    });
}

}  // namespace trainer
