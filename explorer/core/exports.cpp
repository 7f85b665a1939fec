// SPDX-License-Identifier: BSD-3-Clause
// What the page asks of the library's headers. The same text is compiled to WebAssembly for the
// page, and natively for the test that compares both.
#include "fair.hpp"
#include "replay.hpp"
#include "wire.hpp"

#include <collectives/schedule/goal.hpp>
#include <collectives/select/closed_form.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#ifdef __wasm__
#define EXPLORER_EXPORT(name) [[clang::export_name(#name)]]
#define EXPLORER_IMPORT(name) [[clang::import_module("page"), clang::import_name(#name)]]
#else
#define EXPLORER_EXPORT(name)
#define EXPLORER_IMPORT(name)
#endif

namespace {

using namespace explorer;

block_of_bytes in, numbers, out;

/// The library's algorithms, then those that take a parameter.
coll::any_algorithm algorithm_number(int i, int parameter) {
    auto const own = static_cast<int>(coll::all_algorithms.size());
    if (i < own) { return coll::all_algorithms[static_cast<std::size_t>(i)]; }
    if (i == own) { return coll::hierarchical{parameter}; }
    return coll::leaders{parameter};
}

bool exists(int algorithm, int parameter, int what, int size, int root) {
    auto const known = static_cast<int>(coll::all_algorithms.size()) + 2;
    return algorithm >= 0 && algorithm < known && parameter >= 1 && what >= 0 &&
           what < static_cast<int>(coll::scheduled_collectives.size()) && size >= 1 && root >= 0 &&
           root < size && algorithm_number(algorithm, parameter).fits(size);
}

void put_schedules(std::vector<coll::schedule> const& ranks) {
    out.clear();
    out.put(std::int32_t{ranks[0].chunks});
    out.put(std::int32_t{ranks[0].rounds});
    put_steps(out, ranks);
}

}  // namespace

extern "C" {

// An algorithm that the page interprets.
EXPLORER_IMPORT(own_chunks) int own_chunks(int size);
EXPLORER_IMPORT(own_owner) int own_owner(int chunk, int size);
EXPLORER_IMPORT(own_emit) void own_emit(int pattern, int me, int size, int root);

/// Makes room for so many bytes of input, and says where.
EXPLORER_EXPORT(input) void* input(std::uint32_t bytes) {
    in.resize(bytes);
    return in.data();
}
/// The same for a second input, of numbers.
EXPLORER_EXPORT(input_numbers) void* input_numbers(std::uint32_t count) {
    numbers.resize(count * sizeof(double));
    return numbers.data();
}
EXPLORER_EXPORT(output) void const* output() { return out.data(); }
EXPLORER_EXPORT(output_bytes) std::uint32_t output_bytes() {
    return static_cast<std::uint32_t>(out.size());
}

/// Output: the version, then the names of the algorithms (those with a parameter end with a colon),
/// then an empty line, then the names of the collectives; a line each.
EXPLORER_EXPORT(names) void names() {
    out.clear();
    auto const version = coll::text_of(COLLECTIVES_VERSION_MAJOR, ".", COLLECTIVES_VERSION_MINOR,
                                       ".", COLLECTIVES_VERSION_PATCH, "\n");
    out.put(std::string_view(version));
    for (auto const a : coll::all_algorithms) {
        out.put(a.name());
        out.put(std::string_view("\n"));
    }
    for (coll::any_algorithm const a :
         {coll::any_algorithm(coll::hierarchical{}), coll::any_algorithm(coll::leaders{})}) {
        out.put(a.name());
        out.put(std::string_view(":\n"));
    }
    out.put(std::string_view("\n"));
    for (auto const what : coll::scheduled_collectives) {
        out.put(coll::name(what));
        out.put(std::string_view("\n"));
    }
}

EXPLORER_EXPORT(fits) int fits(int algorithm, int parameter, int size) {
    return exists(algorithm, parameter, 0, size, 0) ? 1 : 0;
}

/// Output: int32 chunks, rounds, then six per step. Returns 0, with no output, if there is no such
/// schedule.
EXPLORER_EXPORT(record) int record(int algorithm, int parameter, int what, int size, int root) {
    if (!exists(algorithm, parameter, what, size, root)) { return 0; }
    put_schedules(algorithm_number(algorithm, parameter)
                      .record_all(static_cast<coll::collective>(what), size, root));
    return 1;
}

coll::detail::step_collector const* collecting = nullptr;  // while `own_emit` runs

EXPLORER_EXPORT(own_step) void own_step(int round, int verb, int peer, int first, int count) {
    (*collecting)({round, static_cast<coll::verb>(verb), peer, {first, count}});
}

/// As `record`, of the algorithm that the page interprets; `patterns` has a bit for each function
/// that it has. The page calls `own_step` from within `own_emit`, and throws nothing.
EXPLORER_EXPORT(record_own) int record_own(unsigned patterns, int what, int size, int root) {
    if (!exists(0, 1, what, size, root) || own_chunks(size) < 1) { return 0; }
    coll::detail::step_source const from{
        0, patterns, [](int, int s) { return own_chunks(s); },
        [](int, int chunk, int s) { return own_owner(chunk, s); },
        [](int, coll::detail::part const& p, coll::detail::step_collector& to) {
            auto const* const outer = collecting;
            collecting = &to;
            own_emit(static_cast<int>(p.what), p.me, p.size, p.root);
            collecting = outer;
        }};
    auto const collective = static_cast<coll::collective>(what);
    put_schedules(coll::detail::record_all(
        from, coll::detail::schedule_shape_of(from, collective, size, root)));
    return 1;
}

// What follows takes jobs that were recorded, perhaps with other steps: sizes and roots exist.

/// Input: six int32 per step. Output: int32 ok, rank, round, chunk, order_preserving,
/// position_independent, left_fold; then the verdict in words.
EXPLORER_EXPORT(check) void check(int what, int size, int root, int chunks, int rounds) {
    auto const ranks =
        schedules_of(in, {static_cast<coll::collective>(what), size, root, chunks, rounds});
    auto const p = coll::check(ranks);
    out.clear();
    for (std::int32_t const i : {int{p.ok}, p.rank, p.round, p.chunk, int{p.order_preserving},
                                 int{p.position_independent}, int{p.left_fold}}) {
        out.put(i);
    }
    out.put(p.what);
}

/// Input: as of `check`, of schedules that it found right. Output: int64 rounds; sent, received and
/// added by the busiest rank; sent by all; critical bytes, critical added; least rounds, least
/// sent, least added; then sent, received, added of each rank.
EXPLORER_EXPORT(cost)
void cost(int what, int size, int root, int chunks, int rounds, std::uint64_t bytes) {
    auto const ranks =
        schedules_of(in, {static_cast<coll::collective>(what), size, root, chunks, rounds});
    auto const c = coll::cost_of(ranks, bytes);
    out.clear();
    for (std::uint64_t const i :
         {static_cast<std::uint64_t>(c.rounds), c.busiest.sent, c.busiest.received,
          c.busiest.reduced, c.total, c.critical.bytes, c.critical.reduced,
          static_cast<std::uint64_t>(c.bound.rounds), c.bound.sent, c.bound.reduced}) {
        out.put(i);
    }
    for (auto const& t : c.ranks) {
        out.put(t.sent);
        out.put(t.received);
        out.put(t.reduced);
    }
}

/// Output: int64 rounds, messages of the busiest rank, critical bytes, critical added; of an
/// all_reduce. Returns 0 if the algorithm does not fit.
EXPLORER_EXPORT(closed_form)
int closed_form(int algorithm, int parameter, int size, std::int64_t bytes) {
    if (!exists(algorithm, parameter, 0, size, 0) || bytes < 0) { return 0; }
    auto const c = coll::closed_form(algorithm_number(algorithm, parameter), size, bytes);
    out.clear();
    for (auto const i : {c.rounds, c.messages, c.bytes, c.reduced}) { out.put(i); }
    return 1;
}

/// Input: as of `check`. Output: int32: the number from which on values are sums, the number of
/// sums, of changes, of cells; of each sum the number of its operands and these; of each change
/// round, rank, chunk, value, adds; the cells at the start, rank by rank.
EXPLORER_EXPORT(replay) void replay_of(int what, int size, int root, int chunks, int rounds) {
    auto const ranks =
        schedules_of(in, {static_cast<coll::collective>(what), size, root, chunks, rounds});
    replay const r(ranks);
    out.clear();
    auto const put = [](std::size_t i) { out.put(static_cast<std::int32_t>(i)); };
    out.put(std::int32_t{r.first()});
    put(r.sums().size());
    put(r.changes().size());
    put(r.start().size());
    for (auto const& sum : r.sums()) {
        put(sum.size());
        for (auto const v : sum) { out.put(std::int32_t{v}); }
    }
    for (auto const& c : r.changes()) {
        for (std::int32_t const i : {c.round, c.rank, c.chunk, c.value, int{c.adds}}) {
            out.put(i);
        }
    }
    for (auto const v : r.start()) { out.put(std::int32_t{v}); }
}

/// Input: as of `check`. Numbers: latency, overhead, gap, byte, added; how late each rank is; from,
/// to and factor of each slow link. Output: float64 ok, rank, round, total, steps, steps on the
/// path; then columns, each of all steps: begin, moves, moved, end, waited_for; when each rank
/// ends; the path. Where ok is 0, the first three and then the verdict in words.
EXPLORER_EXPORT(simulate)
void simulate(int what, int size, int root, int chunks, int rounds, std::uint64_t bytes) {
    auto const ranks =
        schedules_of(in, {static_cast<coll::collective>(what), size, root, chunks, rounds});
    auto const number = [](std::size_t i) { return numbers.get<double>(i); };
    coll::loggp network{number(0), number(1), number(2), number(3), number(4), {}, {}};
    std::size_t at = 5;
    for (int r = 0; r < size; ++r) { network.late.push_back(number(at++)); }
    for (; (at + 3) * sizeof(double) <= numbers.size(); at += 3) {
        network.slow.push_back(
            {static_cast<int>(number(at)), static_cast<int>(number(at + 1)), number(at + 2)});
    }
    auto const t = coll::simulate(ranks, bytes, network);
    out.clear();
    auto const put = [](auto value) { out.put(static_cast<double>(value)); };
    put(t.ok ? 1 : 0);
    put(t.rank);
    put(t.round);
    if (!t.ok) { return out.put(t.what); }
    put(t.total);
    put(t.events.size());
    put(t.path.size());
    auto const column = [&t](auto part) {
        out.put_each<double>(t.events.size(),
                             [&](std::size_t i) { return static_cast<double>(t.events[i].*part); });
    };
    using event = coll::timeline::event;
    for (auto const part : {&event::begin, &event::moves, &event::moved, &event::end}) {
        column(part);
    }
    column(&event::waited_for);
    for (double const time : t.done) { put(time); }
    for (int const i : t.path) { put(i); }
}

/// Messages of `rounds` rounds over `links` links. Input: int32 per message: its round, the number
/// of links that it crosses, and these; rounds ascending. Numbers: the bytes of each. Output:
/// float64 per message: when it has ended, if all of a round start together and share links fairly;
/// in bytes of a link. Returns 0, with no output, if the input is not of this form.
EXPLORER_EXPORT(share) int share(int links, int rounds) {
    out.clear();
    return share_rounds(in.all<std::int32_t>(), numbers.all<double>(), links, rounds, out) ? 1 : 0;
}

/// Input: as of `check`, of schedules that it found right. Output: the text of schedule/goal.hpp.
/// Returns 0, with no output, if that cannot be written with this price of a byte added.
EXPLORER_EXPORT(goal)
int goal(int what, int size, int root, int chunks, int rounds, std::uint64_t bytes,
         double ns_per_added_byte) {
    if (!(ns_per_added_byte >= 0 &&
          ns_per_added_byte * static_cast<double>(bytes) * size < 0x1p62)) {
        return 0;
    }
    auto const ranks =
        schedules_of(in, {static_cast<coll::collective>(what), size, root, chunks, rounds});
    out.clear();
    out.put(std::string_view(coll::text_of("num_ranks ", size, "\n")));
    for (auto const& own : ranks) {
        out.put(std::string_view("\n"));
        out.put(std::string_view(coll::detail::goal_of(own, bytes, ns_per_added_byte)));
    }
    return 1;
}

}  // extern "C"
