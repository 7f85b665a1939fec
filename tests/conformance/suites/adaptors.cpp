// SPDX-License-Identifier: BSD-3-Clause
// What the adaptors say: the counted bytes are those of the cost model, the trace has every step.
#include <conformance/cells.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace conformance {

namespace {

constexpr std::size_t even_count = 840;  // whole blocks for every size up to 8

/// Calls each collective with each algorithm; `begin()` before each, `check(what, algorithm)` after
/// it.
template <class Begin, class Check>
void run_evenly(coll::communicator& comm, Begin&& begin, Check&& check) {
    auto const p = static_cast<std::size_t>(comm.size());
    std::vector<std::size_t> const counts(p, even_count / p);
    std::vector<std::uint32_t> whole(even_count), other(even_count), block(even_count / p);
    for (auto const a : coll::all_algorithms) {
        for (auto const what : moving_collectives) {
            coll::options const how{.algorithm = a};
            begin();
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

}  // namespace

void counted_bytes(world const& w) {
    for (int const size : sizes()) {
        if (size == 8) { continue; }
        CAPTURE(size);
        w.run(size, [size](coll::communicator& base) {
            counted_and_traced adaptors;
            auto comm = base.with(adaptors);
            auto& counted = adaptors.counts;
            run_evenly(
                comm, [&] { counted.reset(); },
                [&](coll::collective what, coll::any_algorithm a) {
                    auto const cost = a.cost_of(size, even_count * 4, what);
                    auto const& mine = cost.ranks[static_cast<std::size_t>(comm.rank())];
                    expect(counted.sent() == mine.sent && counted.received() == mine.received, [&] {
                        return std::string(a.name()) + " " + std::string(coll::name(what)) +
                               ": sent " + std::to_string(counted.sent()) + ", not " +
                               std::to_string(mine.sent);
                    });
                });
        });
    }
}

void traced_steps(world const& w) {
    for (int const size : sizes({1, 2, 5, 8})) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& base) {
            counted_and_traced adaptors;
            auto comm = base.with(adaptors);
            std::uint32_t before = 0;
            run_evenly(
                comm, [&] { adaptors.trace.reset(); },
                [&](coll::collective what, coll::any_algorithm a) {
                    auto const cost = a.cost_of(size, even_count * 4, what);
                    auto const schedule = a.record(what, comm.rank(), size);
                    std::size_t sent = 0, received = 0;
                    std::vector<coll::step> missing = schedule.steps;
                    auto const events = adaptors.trace.events();
                    for (auto const& e : events) {
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
                    if (!events.empty()) { before = events.back().operation; }
                });
        });
    }
}

}  // namespace conformance
