// SPDX-License-Identifier: BSD-3-Clause
// What the adaptors say: the counted bytes are those of the cost model, the trace has every step.
#pragma once

#include <conformance/collectives_suite.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace conformance {

inline constexpr std::size_t even_count = 840;  // whole blocks for every size up to 8

/// Calls each collective with each algorithm; `check(what, algorithm)` after each.
template <class Comm, class Check>
void run_evenly(Comm& comm, Check&& check) {
    auto const p = static_cast<std::size_t>(comm.size());
    std::vector<std::size_t> const counts(p, even_count / p);
    std::vector<std::uint32_t> whole(even_count), other(even_count), block(even_count / p);
    for (auto const a : coll::all_algorithms) {
        for (auto const what : moving_collectives) {
            coll::options const how{.algorithm = a};
            comm.transport().reset();
            comm.transport().base().reset();
            using enum coll::collective;
            if (what == gather) {  // without counts, the root tells first how many there are
                comm.gather(block, whole, counts, 0, how);
            } else if (what == scatter) {
                comm.scatter(whole, block, counts, 0, how);
            } else {
                auto const in = what == all_gather ? std::span<std::uint32_t const>(block) : whole;
                auto const out = what == reduce_scatter ? std::span(block) : std::span(other);
                call(comm, what, in, out, coll::sum{}, 0, how);
            }
            check(what, a);
        }
    }
}

TEST_CASE_TEMPLATE_DEFINE("counted bytes are those of the cost model", World, counted_bytes) {
    for (int const size : sizes()) {
        if (size == 8) { continue; }
        CAPTURE(size);
        World::run(size, [size](auto& base) {
            auto comm = base.with(counted_and_traced{});
            auto const& counted = comm.transport().base();
            run_evenly(comm, [&](coll::collective what, coll::any_algorithm a) {
                auto const cost = a.cost_of(size, even_count * 4, what);
                auto const& mine = cost.ranks[static_cast<std::size_t>(comm.rank())];
                expect(counted.sent() == mine.sent && counted.received() == mine.received, [&] {
                    return std::string(a.name()) + " " + std::string(coll::name(what)) + ": sent " +
                           std::to_string(counted.sent()) + ", not " + std::to_string(mine.sent);
                });
            });
        });
    }
}

TEST_CASE_TEMPLATE_DEFINE("a trace has every step", World, traced_steps) {
    for (int const size : sizes({1, 2, 5, 8})) {
        CAPTURE(size);
        World::run(size, [size](auto& base) {
            auto comm = base.with(counted_and_traced{});
            std::uint32_t before = 0;
            run_evenly(comm, [&](coll::collective what, coll::any_algorithm a) {
                auto const cost = a.cost_of(size, even_count * 4, what);
                auto const schedule = a.record(what, comm.rank(), size);
                std::size_t sent = 0, received = 0;
                std::vector<coll::step> missing = schedule.steps;
                for (auto const& e : comm.transport().events()) {
                    expect(e.begin_ns > 0 && e.begin_ns <= e.end_ns && e.rank == comm.rank() &&
                               e.what == what && e.operation > before,
                           "what a trace says of a step");
                    (e.action == coll::verb::send ? sent : received) += e.bytes;
                    std::erase_if(missing, [&](coll::step const& s) {
                        return s.round == e.round && s.peer == e.peer && s.what == e.action;
                    });
                }
                auto const& mine = cost.ranks[static_cast<std::size_t>(comm.rank())];
                expect(missing.empty() && sent == mine.sent && received == mine.received,
                       [&] { return "the trace of " + std::string(a.name()); });
                if (!comm.transport().events().empty()) {
                    before = comm.transport().events().back().operation;
                }
            });
        });
    }
}

}  // namespace conformance
