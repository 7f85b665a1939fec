// SPDX-License-Identifier: BSD-3-Clause
// All plans that differ from a plan in one field that has a meaning, and which of them may be as
// good. Labels for reports (rounds, actions, chunks) have none.
#pragma once

#include <unit/plan_cases.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plan_cases {

/// `harmless`: of which kind the change is if check_plan takes it; empty if it never may.
struct plan_mutation {
    std::string text;
    std::string_view harmless;
    std::function<void(pl::plan&)> apply;
};

namespace harmless {
inline constexpr std::string_view hint = "a store hint";
inline constexpr std::string_view fence = "a fence more";
inline constexpr std::string_view later = "a wait for a later point";
inline constexpr std::string_view implied = "a wait that others imply";
inline constexpr std::string_view unheard = "a point that nobody waits for";
inline constexpr std::string_view elsewhere = "free scratch elsewhere, or more of it";
inline constexpr std::string_view same = "the same value, read elsewhere";
inline constexpr std::string_view unread = "what nobody reads";
inline constexpr std::string_view untaken = "a condition that does not come up";
}  // namespace harmless

class mutation_list {
public:
    mutation_list(pl::plan const& of, std::size_t element) : of_(of), element_(element) {
        for (std::size_t n = 0; n < of.program.size(); ++n) { add_instruction(n); }
        for (std::size_t n = 0; n < of.sources.size(); ++n) {
            add_place(n, "source", harmless::same, &source_at);
        }
        for (std::size_t n = 0; n < of.destinations.size(); ++n) {
            add_place(n, "destination", harmless::elsewhere, &destination_at);
            for (auto const how : {pl::store::cached, pl::store::dead_after, pl::store::measured}) {
                if (how == of.destinations[n].how) { continue; }
                add(text("destination", n, "how"), harmless::hint,
                    [n, how](pl::plan& p) { p.destinations[n].how = how; });
            }
        }
        for (std::size_t n = 0; n < of.offers.size(); ++n) { add_offer(n); }
        add_whole();
    }
    std::vector<plan_mutation> take() { return std::move(all_); }

private:
    using op = pl::opcode;

    static pl::place& source_at(pl::plan& p, std::size_t n) { return p.sources[n]; }
    static pl::place& destination_at(pl::plan& p, std::size_t n) { return p.destinations[n].to; }
    static pl::place& offer_at(pl::plan& p, std::size_t n) { return p.offers[n].at; }

    static std::string text(std::string_view what, std::size_t n, std::string_view field) {
        return std::string(what) + " " + std::to_string(n) + " " + std::string(field);
    }
    void add(std::string text, std::string_view kind, std::function<void(pl::plan&)> change) {
        all_.push_back({std::move(text), kind, std::move(change)});
    }
    /// A number one higher, and one lower where it stays none below 0.
    template <class Field>
    void step(std::string const& text, std::string_view higher, std::string_view lower, Field of,
              std::size_t by = 1) {
        add(text + " higher", higher, [of, by](pl::plan& p) {
            auto& x = of(p);
            using field = std::remove_reference_t<decltype(x)>;
            x = static_cast<field>(x + static_cast<field>(by));
        });
        auto copy = of_;
        if (static_cast<std::size_t>(of(copy)) < by) { return; }
        add(text + " lower", lower, [of, by](pl::plan& p) {
            auto& x = of(p);
            using field = std::remove_reference_t<decltype(x)>;
            x = static_cast<field>(x - static_cast<field>(by));
        });
    }

    void add_instruction(std::size_t n) {
        auto const& i = of_.program[n];
        auto const waits = i.what == op::wait, publishes = i.what == op::publish;
        auto const moves = i.what == op::copy || i.what == op::reduce;
        auto const posts = i.what == op::send || i.what == op::receive;
        auto const name = [&](std::string_view field) {
            return text(std::string("instruction ") + std::string(pl::name(i.what)), n, field);
        };
        auto const at = [n](auto member) {
            return [n, member](pl::plan& p) -> auto& { return p.program[n].*member; };
        };
        using in = pl::instruction;
        add(name("dropped"),
            waits       ? harmless::implied
            : publishes ? harmless::unheard
            : moves     ? harmless::unread
                        : "",
            [n](pl::plan& p) { p.program[n] = {}; });
        if (pl::is_shared(i)) {
            for (auto const when : {pl::condition::always, pl::condition::if_peer_shares,
                                    pl::condition::unless_peer_shares}) {
                if (when == i.when) { continue; }
                add(name("when"), harmless::untaken,
                    [n, when](pl::plan& p) { p.program[n].when = when; });
            }
        }
        if (waits || i.what == op::reduce) {
            for (auto const when :
                 {pl::condition::always, pl::condition::unless_peer_takes_results,
                  pl::condition::unless_all_take_results, pl::condition::unless_all_came}) {
                if (when == i.when) { continue; }
                add(name("when"), waits ? harmless::implied : harmless::untaken,
                    [n, when](pl::plan& p) { p.program[n].when = when; });
            }
        }
        if (i.what == op::reduce) {
            add(name("completes"), harmless::unread,
                [n](pl::plan& p) { p.program[n].completes = !p.program[n].completes; });
        }
        if (publishes) {
            add(name("fence"), i.fence ? "" : harmless::fence,
                [n](pl::plan& p) { p.program[n].fence = !p.program[n].fence; });
        }
        if (waits || posts || pl::is_shared(i)) {
            auto const kind = waits              ? harmless::implied
                              : pl::is_shared(i) ? harmless::untaken
                                                 : std::string_view{};
            step(name("peer"), kind, kind, at(&in::peer));
        }
        if (posts || i.what == op::test) { step(name("number"), "", "", at(&in::number)); }
        if (waits) {
            step(name("runs_back"), harmless::implied, harmless::later, at(&in::runs_back));
        }
        if (waits || publishes) {
            for (auto const by : {std::size_t{1}, std::size_t{2}}) {
                step(name("point"), waits ? harmless::later : harmless::unheard,
                     waits ? harmless::implied : harmless::unheard, at(&in::at), by);
            }
        }
        if (moves || posts) {
            step(name("bytes"), harmless::unread, harmless::unread, at(&in::bytes), element_);
        }
        if (moves || i.what == op::send) { add_range(name("sources"), n, &in::sources); }
        if (moves || i.what == op::receive) {
            add_range(name("destinations"), n, &in::destinations);
        }
    }
    void add_range(std::string const& name, std::size_t n,
                   pl::index_range pl::instruction::*range) {
        auto const kind =
            name.find("sources") != std::string::npos ? harmless::same : harmless::unread;
        step(name + " first", kind, kind,
             [n, range](pl::plan& p) -> int& { return (p.program[n].*range).first; });
        step(name + " last", kind, kind,
             [n, range](pl::plan& p) -> int& { return (p.program[n].*range).last; });
    }
    void add_place(std::size_t n, std::string_view what, std::string_view kind,
                   pl::place& (*of)(pl::plan&, std::size_t)) {
        using enum pl::memory;
        for (auto const where : {input, output, scratch, cell, message, offer}) {
            auto copy = of_;
            if (where == of(copy, n).where) { continue; }
            add(text(what, n, "memory"), kind,
                [n, of, where](pl::plan& p) { of(p, n).where = where; });
        }
        step(text(what, n, "peer"), kind, kind,
             [n, of](pl::plan& p) -> rank_type& { return of(p, n).peer; });
        step(text(what, n, "number"), kind, kind,
             [n, of](pl::plan& p) -> int& { return of(p, n).number; });
        step(
            text(what, n, "offset"), kind, kind,
            [n, of](pl::plan& p) -> std::size_t& { return of(p, n).offset; }, element_);
    }
    void add_offer(std::size_t n) {
        add_place(n, "offer", harmless::same, &offer_at);
        step(text("offer", n, "to"), harmless::unread, harmless::unread,
             [n](pl::plan& p) -> rank_type& { return p.offers[n].to; });
    }
    void add_whole() {
        for (auto const how : {pl::protocol::zero_copy, pl::protocol::staged,
                               pl::protocol::staged_once, pl::protocol::staged_results}) {
            if (pl::backend_of(of_.shown.how) != pl::backend::memory || how == of_.shown.how) {
                continue;
            }
            add("plan protocol", harmless::untaken, [how](pl::plan& p) { p.shown.how = how; });
        }
        add("plan in_place", harmless::untaken,
            [](pl::plan& p) { p.shown.in_place = !p.shown.in_place; });
        add("plan takes_results", harmless::untaken,
            [](pl::plan& p) { p.shown.takes_results = !p.shown.takes_results; });
        add("plan shares_copies", harmless::untaken,
            [](pl::plan& p) { p.shown.shares_copies = !p.shown.shares_copies; });
        for (auto const keeps :
             {pl::scratch_life::run, pl::scratch_life::channel, pl::scratch_life::ring}) {
            if (keeps == of_.keeps) { continue; }
            add("plan keeps", harmless::elsewhere, [keeps](pl::plan& p) { p.keeps = keeps; });
        }
        add("plan fences_at_end", of_.fences_at_end ? "" : harmless::fence,
            [](pl::plan& p) { p.fences_at_end = !p.fences_at_end; });
        step(
            "plan scratch", harmless::elsewhere, harmless::elsewhere,
            [](pl::plan& p) -> std::size_t& { return p.scratch; }, element_);
    }

    using rank_type = coll::rank_t;

    pl::plan const& of_;
    std::size_t element_;
    std::vector<plan_mutation> all_;
};

}  // namespace plan_cases
