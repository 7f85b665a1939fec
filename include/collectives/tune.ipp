// SPDX-License-Identifier: BSD-3-Clause
// The definitions of tune.hpp.
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/op.hpp>
#include <collectives/core/text.hpp>
#include <collectives/transport/any_transport.hpp>
#include <collectives/tune.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <span>

namespace collectives::inline v0 {

namespace detail {

/// How long to measure.
struct timing {
    double seconds = 0.015;    ///< about; a series or two of each call at least
    double in_a_row = 0.6e-3;  ///< seconds, about, of each series of calls
    bool core_each = false;    ///< the ranks can run at the same time: waits until they do
};

/// Seconds that each call takes on the slowest rank: the least of a few series, since every
/// disturbance makes a series longer. A series has equally many calls on all ranks. The calls take
/// turns, so a disturbance of some milliseconds does not spoil all series of one call. Equal on
/// every rank.
template <class... Call>
std::array<double, sizeof...(Call)> seconds_of(communicator& comm, timing how,
                                               Call const&... call) {
    constexpr double most_calls = 200;
    double left = how.seconds;  // the same on all ranks, and so are the numbers of calls and series
    auto const series = [&](auto const& one, int calls) {
        comm.barrier();
        auto const start = steady::now();
        for (int i = 0; i < calls; ++i) { one(); }
        double seconds = std::chrono::duration<double>(steady::now() - start).count() / calls;
        comm.all_reduce(std::span(&seconds, 1), max{});  // a root may have gone long before
        left -= calls * seconds;
        return seconds;
    };
    if (how.core_each) {  // the scheduler takes some 10 ms to find out who shares a core needlessly
        auto const too_long = 2.5e-6 * comm.size();  // for a barrier
        constexpr double patience = 0.02;
        auto const least_left = left - patience;
        while (left > least_left && series([&] { comm.barrier(); }, 20) > too_long) {}
        left = how.seconds;
    }
    auto const calls_for = [&](auto const& one) {
        series(one, 2 * static_cast<int>(channels_per_rank));  // scratch is new in the first few
        return static_cast<int>(std::clamp(how.in_a_row / series(one, 2), 1.0, most_calls));
    };
    std::array const calls{calls_for(call)...};
    std::array<double, sizeof...(Call)> least{};
    least.fill(std::numeric_limits<double>::infinity());
    for (int turn = 0; turn < 5 && (turn < 2 || left > 0); ++turn) {
        std::size_t i = 0;
        ((least[i] = std::min(least[i], series(call, calls[i])), ++i), ...);
    }
    return least;
}

/// The prices `m`, but for those of links, as they are on this communicator: the same on all ranks.
inline machine_model measured(communicator& comm, machine_model m) {
    constexpr std::size_t large = 64 * 1024, small = machine_model::small / sizeof(float);
    auto const size = comm.size();
    if (size == 1) { return m; }
    auto const shares = m.processors != 0 && size > m.processors;
    lean_vector<float> in(large, 1.0F), out(large),
        block(large / static_cast<std::size_t>(size) + 1);
    auto const part = [&](lean_vector<float>& v, std::size_t n) { return std::span(v).first(n); };
    auto const own = collectives::block(large, size, comm.rank()).size;
    auto const reduce = [&](any_algorithm a, std::size_t n) {
        return [&, a, n] { comm.all_reduce(part(in, n), part(out, n), max{}, {.algorithm = a}); };
    };
    // A call of one round and of two, where bytes hardly count; few bytes, and many, without
    // additions and with them.
    auto const core_each = core_of(comm)->engine().carrier().memory() != nullptr && !shares;
    auto const [one, two_rounds, few, gather, both] = detail::seconds_of(
        comm, {.core_each = core_each}, reduce(one_shot{}, 2),
        reduce(two_shot{}, static_cast<std::size_t>(size)), reduce(one_shot{}, small),
        [&] { comm.all_gather(part(block, own), out, {.algorithm = two_shot{}}); },
        reduce(two_shot{}, large));
    auto const two = std::max(two_rounds, one);

    auto const peers = size - 1.0;
    auto const n = static_cast<double>(large * sizeof(float));
    auto const received = n * peers / size;  // by each rank, in a gather; twice in a reduction
    auto const ranks =
        shares ? static_cast<double>(size) / m.processors : 1.0;  // one after another
    if (shares) {
        m.shared_round = (two - one) / ranks;
        m.shared_call = std::max(one / ranks - m.shared_round, 0.0);
    } else {
        constexpr double message_by_round = 0.2;
        m.round = (two - one) / (1 + message_by_round * peers);
        m.message = message_by_round * m.round;
        m.call = std::max(one - m.round - peers * m.message, 0.0);
    }
    constexpr double least = 1e-12;  // nothing moves for nothing
    m.byte = std::max((gather - one) / ((received + n / size) * ranks), least);
    auto const additions = both - two - (2 * received + n) * ranks * m.byte;
    // Never for nothing: who adds less is quicker.
    m.reduced_byte = std::max(additions / (received * ranks), m.byte / 8);
    // Each rank lays out one vector, reads those of its peers, and adds them.
    auto const worked = static_cast<double>(small * sizeof(float)) * (1 + 2 * peers);
    m.small_byte = std::max((few - one) / (worked * ranks), m.byte / 8);
    return m;
}

/// What it costs one rank of each host to talk to the others, beyond the prices inside a host.
inline void measure_links(communicator& heads, machine_model& m) {
    if (heads.size() == 1) { return; }
    auto const far = measured(heads, m);
    auto const dearer = [&](double machine_model::*price) {
        return std::max(far.*price - m.*price, 0.0);
    };
    m.link_round = dearer(&machine_model::round) + dearer(&machine_model::shared_round);
    m.link_message = dearer(&machine_model::message);
    // Of the bytes that were priced, one share in so many stayed on the host.
    m.link_byte = dearer(&machine_model::byte) * heads.size() / (heads.size() - 1.0);
}

}  // namespace detail

COLLECTIVES_INLINE machine_model tune(communicator& comm) {
    auto& carrier = core_of(comm)->engine().carrier();
    if (carrier.device() != nullptr) {
        throw_error<usage_error>("tune: calls are measured in host memory alone");
    }
    auto m = comm.model();
    if (auto const number = carrier.host(carrier.rank()); number >= 0) {
        auto host = comm.split(number);
        m = detail::measured(host, m);
        auto heads = comm.split(host.rank());
        if (host.rank() == 0) { detail::measure_links(heads, m); }
        comm.broadcast(std::span(&m, 1), 0);
    } else {
        m = detail::measured(comm, m);
    }
    comm.use(m);
    return m;
}

}  // namespace collectives
