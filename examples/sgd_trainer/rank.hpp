// SPDX-License-Identifier: BSD-3-Clause
// What each rank runs, whatever the ranks are.
#pragma once

#include "parameter_server.hpp"
#include "ranks.hpp"

#include "../../tools/launched/launched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace trainer {

/// Whether all ranks hold the same bits; the answer is right on rank 0.
inline bool same_everywhere(coll::communicator& comm, std::vector<float> const& values) {
    std::vector<float> all(comm.rank() == 0 ? std::size_t(comm.size()) * values.size() : 0);
    comm.gather(values, all, 0);
    bool same = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
        same = same && std::bit_cast<std::uint32_t>(all[i]) ==
                           std::bit_cast<std::uint32_t>(values[i % values.size()]);
    }
    return same;
}

/// How many ranks there are is known once they have met: a launcher may have started them.
inline void check_straggler(settings const& how, int ranks) {
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

/// Where nothing counts the bytes.
inline std::uint64_t nothing_sent() { return 0; }

/// A rank's whole life, but for losses. Steps are taken over `comm`, all else over `base`; `sent`
/// tells the bytes that this rank has sent.
inline void train_rank(coll::communicator& base, coll::communicator& comm, job const& what,
                       learnt& of, observer& all, std::function<std::uint64_t()> sent) {
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

/// Classifies the test images over a communicator whose messages are counted, and throws if there
/// were any before the ranks add up what they saw.
inline void classify_rank(coll::communicator& base, job const& what, state now, observer& all) {
    share(base, now);
    auto net = what.make_network();
    auto* const book = base.rank() == 0 ? &all : nullptr;
    if (book != nullptr) { book->begun(now.step, base.size()); }
    coll::counted counts;
    auto comm = base.with(counts);
    step_recorder mine(book, [counts] { return std::uint64_t{counts.sent()}; });
    std::vector<float> seen;
    base.barrier();
    for (int pass = 0; pass < what.how.passes; ++pass) {
        mine.begin(now.step);
        seen = classify_block(comm, what.data, net, now.parameters,
                              static_cast<std::size_t>(what.how.batch));
        mine.computed();
        mine.averaged();
        mine.end();
    }
    auto const so_far = [&] { return traffic{counts.sent(), counts.messages()}; };
    auto const meanwhile = so_far();
    comm.all_reduce(seen);
    auto const in_all = so_far();
    std::vector<std::uint64_t> sums{meanwhile.bytes, meanwhile.messages,
                                    in_all.bytes - meanwhile.bytes,
                                    in_all.messages - meanwhile.messages};
    base.all_reduce(sums);
    if (sums[0] != 0 || sums[1] != 0) {
        throw std::runtime_error(fmt::format(
            "ranks sent {} bytes in {} messages while they classified", sums[0], sums[1]));
    }
    if (book != nullptr) { book->sent({sums[0], sums[1]}, {sums[2], sums[3]}); }
    mine.epoch(gather_steps(base, mine.taken()), seen);
}

/// The ring's all_reduce over `comm`, whose messages `trace` has.
inline void trace_rank(coll::communicator& base, coll::communicator& comm, coll::traced& trace,
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

/// Calls body(comm) on ranks of the kind that is asked for.
template <class Body>
void on_ranks(settings const& how, Body const& body) {
    switch (how.where) {
        case transport::threads: return coll::threads::run(how.ranks, body);
        case transport::processes: return coll::shm::run(how.ranks, body);
        case transport::joined: return launched::over_any(body);
        case transport::mpi:
            return launched::over_mpi([&](coll::communicator& comm) {
                if (comm.rank() == 0) {
                    fmt::print("{} ranks over {}\n", comm.size(), launched::version_of_mpi());
                }
                body(comm);
            });
        case transport::ucx: return launched::over_ucx(body);
        case transport::hosts: return launched::over_ucx(body, true);
    }
}

/// Takes the steps over `base` as it is, or, where something is to be seen of their messages, over
/// adaptors that count bytes, slow links down and trace each message.
inline void work_on(coll::communicator& base, work const& w, learnt& of) {
    job const what{w.how, w.data};
    if (w.kind == task::classify) { return classify_rank(base, what, w.start, w.book); }
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

/// All ranks go on after the step that each has done: after a loss a rank was ahead by one where it
/// had the averages already and others had not. With a server, they go on with what rank 0 has: it
/// is the server's, or, where that was lost, what a worker had last, whose momentum begins anew.
inline void agree_on_step(coll::communicator& comm, settings const& how, learnt& of) {
    if (how.how != method::all_reduce) { return; }
    int done = of.now.step;
    comm.all_reduce(std::span(&done, 1), coll::min{});
    if (of.now.step != done) { of.now = of.before; }
}

/// The same as work_on, with those who are left when ranks are lost, if it is to go on.
inline void work_through_losses(coll::communicator& all, work const& w) {
    learnt of{w.start};
    std::optional<coll::communicator> rest;
    for (auto* comm = &all;; comm = &*rest) {
        try {
            if (comm != &all) { agree_on_step(*comm, w.how, of); }
            return work_on(*comm, w, of);
        } catch (coll::error const& e) {
            // A loss is told as one, or by a time-out, or by the abort of a rank that goes on.
            auto const is_loss = dynamic_cast<coll::peer_lost_error const*>(&e) != nullptr ||
                                 dynamic_cast<coll::timeout_error const*>(&e) != nullptr ||
                                 typeid(e) == typeid(coll::error);
            if (w.how.on_loss == loss::end || !is_loss) { throw; }
        }
        rest.emplace(comm->shrink());
    }
}

}  // namespace trainer
